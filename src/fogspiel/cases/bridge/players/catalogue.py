"""Declarers and defenders by name: `pimc`, `pimc:20`, `alpha-mu:20,2`, `double-dummy` …

Whole numbers may follow the colon.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from fogspiel.cases.bridge.players.alpha_mu import AlphaMuDeclarer
from fogspiel.cases.bridge.players.double_dummy import DoubleDummyDeclarer, DoubleDummyDefender
from fogspiel.cases.bridge.players.natural.defender import NaturalDefender
from fogspiel.cases.bridge.players.pimc import PimcDeclarer, PimcDefender
from fogspiel.cases.bridge.players.protocol import Declarer, Defender, Objective
from fogspiel.cases.bridge.tignum.declarer import Tignum
from fogspiel.core.findings import UsageError
from fogspiel.core.registry import Entry, Registry

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
