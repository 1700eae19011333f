"""Declarers and defenders by name: `pimc`, `pimc:20`, `alpha-mu:20,2`, `double-dummy` …

What follows the colon are whole numbers. Players are imported when one is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from fogspiel.cases.bridge.players.protocol import Declarer, Defender, Objective
from fogspiel.core.findings import Finding, UsageError

_Mind = TypeVar("_Mind", Declarer, Defender)

MOST = 10_000
"""Of anything that a name can ask for: worlds, moves, tricks."""


@dataclass(frozen=True, slots=True)
class BridgePlayerEntry(Generic[_Mind]):
    """A kind of player."""

    what: str
    arguments: tuple[str, ...]
    """What the numbers after the colon stand for; all may be left out, from the last back."""
    make: Callable[[Mapping[str, int], Objective], _Mind]
    """From the numbers that were given, by name."""


def make_declarer(
    name: str, objective: Objective = "tricks", worlds: int | None = None
) -> Declarer:
    """A declarer by name. Raises `UsageError` BRI031 or BRI033.

    worlds: for those that look at several deals, unless the name says how many.
    """
    return _make(name, DECLARERS, "declarer", "BRI031", objective, worlds)


def make_defender(
    name: str, objective: Objective = "tricks", worlds: int | None = None
) -> Defender:
    """One defender by name. Raises `UsageError` BRI032 or BRI033."""
    return _make(name, DEFENDERS, "defence", "BRI032", objective, worlds)


def _make(
    name: str,
    kinds: Mapping[str, BridgePlayerEntry[_Mind]],
    role: str,
    code: str,
    objective: Objective,
    worlds: int | None,
) -> _Mind:
    word, _, argument = name.partition(":")
    if word not in kinds:
        raise UsageError(
            Finding(
                code=code,
                message=f"there is no {role} {word!r}",
                fix=f"choose one of {', '.join(kinds)}",
            )
        )
    kind = kinds[word]
    numbers = _numbers(word, argument, kind.arguments)
    if worlds is not None and "worlds" in kind.arguments:
        numbers.setdefault("worlds", worlds)
    return kind.make(numbers, objective)


def _numbers(name: str, argument: str, wanted: tuple[str, ...]) -> dict[str, int]:
    parts = argument.split(",") if argument else []
    readable = all(part.isascii() and part.isdigit() for part in parts)
    if not readable or len(parts) > len(wanted) or not all(0 < int(p) <= MOST for p in parts):
        names = ",".join(word.upper() for word in wanted)
        takes = f"{name}:{names}, whole numbers from 1 to {MOST:,}" if wanted else f"{name} alone"
        raise UsageError(
            Finding(
                code="BRI033",
                message=f"the player {name} cannot use {argument!r}",
                fix=f"write {takes}",
            )
        )
    return {word: int(part) for word, part in zip(wanted, parts, strict=False)}


def _tignum(numbers: Mapping[str, int], objective: Objective) -> Declarer:
    from fogspiel.cases.bridge.tignum.declarer import WORLDS, Tignum

    return Tignum(worlds=numbers.get("worlds", WORLDS), objective=objective)


def _pimc(numbers: Mapping[str, int], objective: Objective) -> Declarer:
    from fogspiel.cases.bridge.players.pimc import PimcDeclarer

    return PimcDeclarer(**numbers, objective=objective)


def _alpha_mu(numbers: Mapping[str, int], objective: Objective) -> Declarer:
    from fogspiel.cases.bridge.players.alpha_mu.declarer import AlphaMuDeclarer

    return AlphaMuDeclarer(**numbers, objective=objective)


def _double_dummy(numbers: Mapping[str, int], objective: Objective) -> Declarer:
    from fogspiel.cases.bridge.players.double_dummy import DoubleDummyDeclarer

    return DoubleDummyDeclarer()


def _double_dummy_defender(numbers: Mapping[str, int], objective: Objective) -> Defender:
    from fogspiel.cases.bridge.players.double_dummy import DoubleDummyDefender

    return DoubleDummyDefender()


def _pimc_defender(numbers: Mapping[str, int], objective: Objective) -> Defender:
    from fogspiel.cases.bridge.players.pimc_defender import PimcDefender

    return PimcDefender(**numbers, objective=objective)


def _natural(numbers: Mapping[str, int], objective: Objective) -> Defender:
    from fogspiel.cases.bridge.players.natural.defender import NaturalDefender

    return NaturalDefender()


DECLARERS: Mapping[str, BridgePlayerEntry[Declarer]] = {
    "tignum": BridgePlayerEntry("plans by schemes, and says which", ("worlds",), _tignum),
    "pimc": BridgePlayerEntry(
        "the best card on average over sampled deals, double dummy", ("worlds",), _pimc
    ),
    "alpha-mu": BridgePlayerEntry(
        "the same, but near the end one plan for all deals",
        ("worlds", "depth", "tricks"),
        _alpha_mu,
    ),
    "double-dummy": BridgePlayerEntry("sees all hands: the bound", (), _double_dummy),
}
DEFENDERS: Mapping[str, BridgePlayerEntry[Defender]] = {
    "double-dummy": BridgePlayerEntry(
        "sees all hands: the hardest there is", (), _double_dummy_defender
    ),
    "pimc": BridgePlayerEntry(
        "the best card on average over sampled deals, double dummy", ("worlds",), _pimc_defender
    ),
    "natural": BridgePlayerEntry("rules of thumb, no search", (), _natural),
}
