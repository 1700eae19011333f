"""Declarers and defenders by name: `pimc`, `pimc:20`, `alpha-mu:20,2`, `double-dummy` …

Whole numbers may follow the colon. Players `double-dummy` see all hands: their results are bounds
for the others. The defender is the hardest opponent there is, and yet a natural one: among cards
that are equally good it takes the one that a person would, so that it gives away nothing that a
person would not. Between touching honours it draws lots, since a fixed habit would tell declarer
which it holds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from fogspiel.cases.bridge.cards import Card, Hands, rank_of
from fogspiel.cases.bridge.double_dummy import card_tricks
from fogspiel.cases.bridge.players.alpha_mu import AlphaMuDeclarer
from fogspiel.cases.bridge.players.natural.defender import NaturalDefender, preferences
from fogspiel.cases.bridge.players.natural.judgement import TEN
from fogspiel.cases.bridge.players.pimc import PimcDeclarer, PimcDefender, declarers_order
from fogspiel.cases.bridge.players.protocol import Declarer, Defender, Objective
from fogspiel.cases.bridge.table import equal_groups
from fogspiel.cases.bridge.tignum.declarer import Tignum
from fogspiel.cases.bridge.view import DeclarerView, DefenderView
from fogspiel.core.findings import UsageError
from fogspiel.core.registry import Entry, Registry


class DoubleDummyDeclarer:
    """Plays a card that is best against best defence, with all cards seen."""

    def start(self, seed: int) -> None:
        """Nothing is left to chance."""

    def reveal(self, hands: Hands) -> None:
        """The four hands before the next card."""
        self._hands = hands

    def card(self, view: DeclarerView) -> Card:
        """Ties are broken as `pimc` breaks them."""
        order = declarers_order(view)
        if len(order) == 1:
            return order[0]
        tricks = card_tricks(self._hands, view.table)
        return max(order, key=lambda card: tricks[card])


class DoubleDummyDefender:
    """Plays a card that leaves declarer the fewest tricks, with all cards seen."""

    def start(self, seed: int) -> None:
        """Only the draw between touching honours follows from the seed."""
        self._seed = seed

    def reveal(self, hands: Hands) -> None:
        """The four hands before the next card."""
        self._hands = hands

    def card(self, view: DefenderView) -> Card:
        """The most natural of the best cards."""
        order = preferences(view)
        groups = equal_groups(view.hand, view.legal, view.table)
        if len(groups) > 1:
            tricks = card_tricks(self._hands, view.table)
            # The first of several least ones, and so the most natural.
            chosen = min(order, key=lambda card: tricks[card])
        else:
            chosen = order[0]
        group = next(group for group in groups if chosen in group)
        return self._one_of(group, chosen, view)

    def _one_of(self, group: tuple[Card, ...], chosen: Card, view: DefenderView) -> Card:
        """Leads tell partner what is held; who follows has no reason to tell declarer."""
        if not view.table.trick or rank_of(group[0]) < TEN:
            return chosen
        rng = np.random.default_rng([self._seed, view.seat, len(view.table.history)])
        return int(rng.choice(group))


_Mind = TypeVar("_Mind", Declarer, Defender)

MOST = 10_000  #: The largest number that a name can ask for: worlds, moves, tricks


@dataclass(frozen=True, slots=True, kw_only=True)
class BridgePlayerEntry(Entry, Generic[_Mind]):
    """A declarer or a defender that can be named."""

    arguments: tuple[str, ...] = ()
    """The numbers after the colon; all may be left out, from the last back."""
    make: Callable[..., _Mind]
    """Makes a player of the numbers that were given, by name, and an `objective`."""


def make_declarer(
    name: str, objective: Objective = "tricks", worlds: int | None = None
) -> Declarer:
    """A declarer by name. Raises `UsageError` BRI031 or BRI033.

    worlds: for those that look at several deals, unless the name says how many.
    """
    return _make(name, DECLARERS, objective, worlds)


def make_defender(
    name: str, objective: Objective = "tricks", worlds: int | None = None
) -> Defender:
    """One defender by name. Raises `UsageError` BRI032 or BRI033."""
    return _make(name, DEFENDERS, objective, worlds)


def _make(
    name: str,
    players: Registry[BridgePlayerEntry[_Mind]],
    objective: Objective,
    worlds: int | None,
) -> _Mind:
    word, _, argument = name.partition(":")
    entry = players.find(word)
    numbers = _numbers(word, argument, entry.arguments)
    if worlds is not None and "worlds" in entry.arguments:
        numbers.setdefault("worlds", worlds)
    return entry.make(**numbers, objective=objective)


def _numbers(name: str, argument: str, wanted: tuple[str, ...]) -> dict[str, int]:
    parts = argument.split(",") if argument else []
    readable = all(part.isascii() and part.isdigit() for part in parts)
    if not readable or len(parts) > len(wanted) or not all(0 < int(p) <= MOST for p in parts):
        names = ",".join(word.upper() for word in wanted)
        takes = f"{name}:{names}, whole numbers from 1 to {MOST:,}" if wanted else f"{name} alone"
        raise UsageError.of(
            "BRI033", f"the player {name} cannot use {argument!r}", fix=f"write {takes}"
        )
    return {word: int(part) for word, part in zip(wanted, parts, strict=False)}


DECLARERS: Registry[BridgePlayerEntry[Declarer]] = Registry(
    "declarer",
    "BRI031",
    (
        BridgePlayerEntry(
            name="tignum",
            what="plans by schemes, and says which",
            arguments=("worlds",),
            make=Tignum,
        ),
        BridgePlayerEntry(
            name="pimc",
            what="the best card on average over sampled deals, double dummy",
            arguments=("worlds",),
            make=PimcDeclarer,
        ),
        BridgePlayerEntry(
            name="alpha-mu",
            what="the same, but near the end one plan for all deals",
            arguments=("worlds", "depth", "tricks"),
            make=AlphaMuDeclarer,
        ),
        BridgePlayerEntry(
            name="double-dummy",
            what="sees all hands: the bound",
            make=lambda objective: DoubleDummyDeclarer(),
        ),
    ),
)
DEFENDERS: Registry[BridgePlayerEntry[Defender]] = Registry(
    "defence",
    "BRI032",
    (
        BridgePlayerEntry(
            name="double-dummy",
            what="sees all hands: the hardest there is",
            make=lambda objective: DoubleDummyDefender(),
        ),
        BridgePlayerEntry(
            name="pimc",
            what="the best card on average over sampled deals, double dummy",
            arguments=("worlds",),
            make=PimcDefender,
        ),
        BridgePlayerEntry(
            name="natural",
            what="rules of thumb, no search",
            make=lambda objective: NaturalDefender(),
        ),
    ),
)
