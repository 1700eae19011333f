"""Games of the library, written once more as Python classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import fogspiel

Cell = tuple[int, int]
LINES = (
    *(tuple((x, y) for y in (1, 2, 3)) for x in (1, 2, 3)),
    *(tuple((x, y) for x in (1, 2, 3)) for y in (1, 2, 3)),
    tuple((n, n) for n in (1, 2, 3)),
    tuple((n, 4 - n) for n in (1, 2, 3)),
)
CELLS = frozenset((x, y) for x in (1, 2, 3) for y in (1, 2, 3))


@dataclass(frozen=True)
class Tried:
    """What both players tried, and made their mark on."""

    x: frozenset[Cell] = frozenset()
    o: frozenset[Cell] = frozenset()
    marks: frozenset[tuple[Cell, str]] = frozenset()
    turn: str = "x"

    def of(self, role: str) -> frozenset[Cell]:
        """The cells that a player tried."""
        return self.x if role == "x" else self.o

    def marked(self, role: str) -> set[Cell]:
        """The cells with a mark of a player."""
        return {cell for cell, owner in self.marks if owner == role}

    def winner(self) -> str | None:
        """The player with a line."""
        return next((r for r in "xo" if any(self.marked(r) >= set(line) for line in LINES)), None)


class LatentTicTacToe(fogspiel.PythonGame):
    """Players do not see each other's marks; who tries an occupied cell tries again."""

    roles = ("x", "o")

    def initial(self) -> Tried:
        return Tried()

    def legal(self, state: Tried, role: str) -> list[tuple[Any, ...]]:
        if role != state.turn:
            return []
        return [("mark", *cell) for cell in sorted(CELLS - state.of(role))]

    def next(self, state: Tried, joint: Mapping[str, Any]) -> Tried:
        cell: Cell = joint[state.turn][1:]
        tried = state.of(state.turn) | {cell}
        after = replace(state, x=tried) if state.turn == "x" else replace(state, o=tried)
        if cell in state.of("o" if state.turn == "x" else "x"):
            return after
        marks = state.marks | {(cell, state.turn)}
        return replace(after, marks=marks, turn="o" if state.turn == "x" else "x")

    def percepts(self, state: Tried, joint: Mapping[str, Any], role: str) -> list[Any]:
        after = self.next(state, joint)
        seen: list[Any] = [("turn", after.turn)]
        if after.winner():
            seen.append(("won", after.winner()))
        return [*seen, "full"] if len(after.marks) == len(CELLS) else seen

    def terminal(self, state: Tried) -> bool:
        return bool(state.winner()) or len(state.marks) == len(CELLS)

    def payoffs(self, state: Tried) -> dict[str, int]:
        won = state.winner()
        return {role: 50 if won is None else 100 * (role == won) for role in self.roles}


class Bidding(NamedTuple):
    """Cards that are left, and the difference of points."""

    hands: tuple[tuple[int, ...], tuple[int, ...]]
    lead: int = 0


class HiddenGoofspiel(fogspiel.PythonGame):
    """Bids are made at once; players see who won a prize, and not by which cards."""

    roles = ("first", "second")
    denominator = 2

    def __init__(self, cards: int = 4) -> None:
        self.cards = cards

    def initial(self) -> Bidding:
        hand = tuple(range(1, self.cards + 1))
        return Bidding((hand, hand))

    def legal(self, state: Bidding, role: str) -> list[Any]:
        return [("bid", card) for card in state.hands[self.roles.index(role)]]

    def next(self, state: Bidding, joint: Mapping[str, Any]) -> Bidding:
        bids = [joint[role][1] for role in self.roles]
        first, second = (
            tuple(card for card in hand if card != bid)
            for hand, bid in zip(state.hands, bids, strict=True)
        )
        prize = len(state.hands[0])
        return Bidding((first, second), state.lead + prize * _sign(bids[0] - bids[1]))

    def percepts(self, state: Bidding, joint: Mapping[str, Any], role: str) -> list[Any]:
        ahead = joint["first"][1] - joint["second"][1]
        return [("won", "first" if ahead > 0 else "second")] if ahead else []

    def payoffs(self, state: Bidding) -> list[float]:
        return [_sign(state.lead) / 2, -_sign(state.lead) / 2]


class Goofspiel(HiddenGoofspiel):
    """The same with open bids, and the prizes in ascending order."""

    def next(self, state: Bidding, joint: Mapping[str, Any]) -> Bidding:
        after, turned = super().next(state, joint), len(state.hands[0])
        prize = self.cards + 1 - turned
        return after._replace(lead=state.lead + (after.lead - state.lead) // turned * prize)

    def percepts(self, state: Bidding, joint: Mapping[str, Any], role: str) -> Any:
        return fogspiel.PythonGame.percepts(self, state, joint, role)


class Biased(fogspiel.PythonGame):
    """A die that shows one of two sides, and a guess at what it showed."""

    roles = ("guesser",)

    def initial(self) -> str:
        return "start"

    def chance(self, state: str) -> dict[str, int]:
        return {"one": 2, "six": 1} if state == "start" else {}

    def legal(self, state: str, role: str) -> list[str]:
        return ["one", "six"] if state in {"one", "six"} else []

    def next(self, state: str, joint: Mapping[str, str]) -> str:
        if state == "start":
            return joint["random"]
        return "right" if joint["guesser"] == state else "wrong"

    def percepts(self, state: str, joint: Mapping[str, str], role: str) -> list[str]:
        return []

    def payoffs(self, state: str) -> list[int]:
        return [int(state == "right")]


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
