"""Game classes with one fault each."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, ClassVar

from fogspiel.games.python_game import PythonGame


class Steps(PythonGame):
    """Three steps in which both players go left or right."""

    roles = ("a", "b")

    def initial(self) -> Any:
        return 0

    def legal(self, state: Any, role: str) -> Any:
        return ["left", "right"] if state < 3 else []

    def next(self, state: Any, joint: Any) -> Any:
        return state + 1

    def payoffs(self, state: Any) -> Any:
        return [1, 0]


class Counter:
    """A state that can be changed."""

    def __init__(self) -> None:
        self.count = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Counter) and self.count == other.count

    def __hash__(self) -> int:
        return hash(self.count)


class Careless(Counter):
    """A state whose hash leaves out what changes."""

    def __hash__(self) -> int:
        return 1


class Raises(Steps):
    def next(self, state: Any, joint: Any) -> Any:
        return {}[state]  # the line


class TooFewArguments(Steps):
    def legal(self, state: Any) -> Any:  # type: ignore[override]  # the fault
        return []


class RaisesLate(Steps):
    def legal(self, state: Any, role: str) -> Iterator[str]:
        if state < 3:
            yield "left"
            yield str(1 / (2 - state))  # the line


class Lists(Steps):
    def initial(self) -> Any:
        return [0]


class Plain(Steps):
    def initial(self) -> Any:
        return object()


class Changes(Steps):
    start: type[Counter] = Counter

    def initial(self) -> Any:
        return self.start()

    def legal(self, state: Any, role: str) -> Any:
        return ["left", "right"] if state.count < 3 else []

    def next(self, state: Any, joint: Any) -> Any:
        state.count += 1
        return state


class ChangesUnseen(Changes):
    start = Careless


class Draws(Steps):
    random = Random(1)

    def next(self, state: Any, joint: Any) -> Any:
        return state + self.random.choice([1, 2])


class Remembers(Steps):
    asked = 0

    def legal(self, state: Any, role: str) -> Any:
        self.asked += 1
        return [] if state >= 3 else ["left", "right", "up"] if self.asked % 90 > 60 else ["left"]


class OneText(Steps):
    def legal(self, state: Any, role: str) -> Any:
        return "pass" if state < 3 else None


class Numbers(Steps):
    def legal(self, state: Any, role: str) -> Any:
        return [3.5] if state < 3 else []


class Twice(Steps):
    def legal(self, state: Any, role: str) -> Any:
        return [1, "1"] if state < 3 else []


class WithoutEnd(Steps):
    def legal(self, state: Any, role: str) -> Iterator[int]:
        return iter(range(10**9))


class Loops(Steps):
    max_seconds = 0.3

    def legal(self, state: Any, role: str) -> Any:
        while True:  # the line
            pass


class Negative(Steps):
    def chance(self, state: Any) -> Any:
        return {"heads": 1, "tails": -1} if state < 3 else {}


class Weights(Steps):
    weights: ClassVar[Any]

    def chance(self, state: Any) -> Any:
        return self.weights if state < 3 else {}


class Zero(Weights):
    weights: ClassVar[Any] = {"heads": 1, "tails": 0}


class NoNumber(Weights):
    weights: ClassVar[Any] = {"heads": 1.5, "tails": "2"}


class Endlessly(Weights):
    weights: ClassVar[Any] = {"heads": float("inf"), "tails": 1}


class Vanishing(Weights):
    weights: ClassVar[Any] = {"heads": 1e308, "tails": 1e308, "edge": 5e-324}


class Drawn(Weights):
    """A list of pairs with floats is no mapping from moves to weights."""

    def chance(self, state: Any) -> Any:
        return [("heads", 0.5), ("tails", 0.5)] if state < 3 else []


class Percepts(Steps):
    seen: ClassVar[Any]

    def percepts(self, state: Any, joint: Any, role: str) -> Any:
        return self.seen


class SeesNumber(Percepts):
    seen: ClassVar[Any] = [3.5]


class SeesNothing(Percepts):
    seen: ClassVar[Any] = [None]


class SeesText(Percepts):
    seen: ClassVar[Any] = "a card"


class SeesWords(Percepts):
    seen: ClassVar[Any] = ["a card"]


class SeesPairs(Percepts):
    seen: ClassVar[Any] = {"card": 3}


class SeesTruth(Percepts):
    seen: ClassVar[Any] = [("card", True)]


class SeesPlaces(Percepts):
    seen: ClassVar[Any] = [("cell", (1, 2))]


class Leaves(Steps):
    def next(self, state: Any, joint: Any) -> Any:
        raise SystemExit(3)  # the line


class Recurses(Steps):
    def next(self, state: Any, joint: Any) -> Any:
        return self.next(state, joint)  # the line


class Unkept(Steps):
    def legal(self, state: Any, role: str) -> Any:
        return ["left", "right"] if state == 0 else []

    def next(self, state: Any, joint: Any) -> Any:
        return {state}


class Tells(Steps):
    def fluents(self, state: Any) -> Any:
        return [("step", state / 2)]


class Halves(Steps):
    def payoffs(self, state: Any) -> Any:
        return [0.5, -0.5]


class PaysOne(Steps):
    def payoffs(self, state: Any) -> Any:
        return {"a": 1}


class Stuck(Steps):
    def terminal(self, state: Any) -> bool:
        return False


class Endless(Steps):
    def legal(self, state: Any, role: str) -> Any:
        return ["left", "right"]

    def next(self, state: Any, joint: Any) -> Any:
        return 0


class Misnamed(Steps):
    def percept(self, state: Any, joint: Any, role: str) -> Any:
        return []
