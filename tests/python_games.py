"""Games of the library, written once more as Python classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import fogspiel


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
