"""Sets of possible histories with their probabilities, and the states that they lead to."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import NDArray

from fogspiel.api.history import History
from fogspiel.api.state import State
from fogspiel.belief.positions import certain_fluents, fluent_probabilities
from fogspiel.belief.protocol import Histories as Found
from fogspiel.belief.protocol import same_state
from fogspiel.core.findings import UsageError
from fogspiel.core.kernels.rows import distinct_rows
from fogspiel.core.limits import refuse_count
from fogspiel.machine.protocol import States
from fogspiel.rules.sexpr import exact_text

if TYPE_CHECKING:
    from fogspiel.api.game import Game


class PossibleStates:
    """The states that a player must consider possible, each with its probability."""

    game: Game

    @cached_property
    def states(self) -> list[tuple[State, float]]:
        """The possible states with their probabilities, most probable first."""
        return self.most_probable(len(self._weighted()[0]))

    def most_probable(self, count: int) -> list[tuple[State, float]]:
        """The most probable states with their probabilities, where there may be a million.

        count: the number of states; fewer are given where there are no more.

        >>> fs.load("kuhn_poker").view("first").belief().most_probable(5)
        [(State((turn deal_first)), 1.0)]
        """
        refuse_count("count", count, 0)
        rows, shares = self._weighted()
        # Equal probabilities may differ in their last bits, and must not decide the order.
        order = np.lexsort((np.arange(len(rows)), -shares.round(12)))[:count]
        return [(State(self.game, rows[at]), float(shares[at])) for at in order.tolist()]

    @cached_property
    def fluents(self) -> dict[str, float]:
        """The probability of each fact that holds in some possible state, most probable first."""
        rows, shares = self._weighted()
        if not len(rows):
            return {}
        found = fluent_probabilities(self.game.machine, rows, shares)
        named = {exact_text(fluent): share for fluent, share in found.items()}
        return dict(sorted(named.items(), key=lambda item: (-round(item[1], 12), item[0])))

    @cached_property
    def certain(self) -> tuple[str, ...]:
        """The facts that hold in every possible state."""
        rows, _ = self._weighted()
        if not len(rows):
            return ()
        known = set(map(exact_text, certain_fluents(self.game.machine, rows)))
        return tuple(fluent for fluent in self.fluents if fluent in known)

    def _weighted(self) -> tuple[States, NDArray[np.float64]]:
        """The different states, (n, words), and their probabilities, (n,)."""
        raise NotImplementedError


@final
class Histories(PossibleStates):
    """Some possible histories with their probabilities: all that there are, or a sample.

    `Belief.enumerate` and `Belief.weighted_sample` give them. Iteration gives pairs of a `History`
    and its probability.

    >>> history = fs.load("kuhn_poker").begin().play("(deal queen)").play("(deal king)")
    >>> histories = history.view("first").belief().enumerate()
    >>> len(histories), histories.complete, history in histories
    (2, True, True)
    """

    def __init__(self, game: Game, found: Found) -> None:
        """The histories that a method found; use `Belief.enumerate` instead."""
        self.game: Game = game  #: The game that is played
        self.complete: bool = found.complete  #: Whether these are all possible histories
        self.unbiased: bool = found.unbiased
        """Whether means over a sample, by its probabilities, are right on average."""
        self._found = found

    @cached_property
    def distinct(self) -> int:
        """The number of different histories: in a sample, some may come several times."""
        return len({joints.tobytes() for joints in self._found.joints})

    def leading_to(self, state: State) -> History:
        """A history that leads to a state, such as to ask what another player would know there.

        state: one of `states`.
        Raises `UsageError` API005 for a state that none of them leads to.

        >>> (state, probability), *others = histories.states
        >>> histories.leading_to(state).view("second").belief().certain
        ('(holds second jack)', '(turn open)')
        """
        places = np.flatnonzero(same_state(self._found.states, state.bits))
        if not len(places):
            raise UsageError.of(
                "API005",
                "none of these histories leads to the state",
                fix="ask for one of `states`",
            )
        return self.game.history(self._found.joints[places[0]].tolist())

    def __contains__(self, history: object) -> bool:
        """Whether a history is one of them."""
        joints = self._found.joints
        if not isinstance(history, History) or history.game != self.game:
            return False
        truth = np.array(history.joints, np.int32).reshape(len(history), len(self.game.roles))
        if truth.shape != joints.shape[1:]:
            return False
        return bool((joints == truth).all(axis=(1, 2)).any())

    def __iter__(self) -> Iterator[tuple[History, float]]:
        """The histories with their probabilities."""
        found = self._found
        shares = found.weights / found.weights.sum()
        for joints, share in zip(found.joints.tolist(), shares.tolist(), strict=True):
            yield self.game.history(joints), share

    def __len__(self) -> int:
        """The number of histories."""
        return len(self._found)

    def __repr__(self) -> str:
        told = counted(len(self), "history", "histories")
        return f"Histories({told}, {'all that fit' if self.complete else 'a sample'})"

    def _weighted(self) -> tuple[States, NDArray[np.float64]]:
        return self._different

    @cached_property
    def _different(self) -> tuple[States, NDArray[np.float64]]:
        """The different states and their probabilities."""
        found = self._found
        firsts, inverse = distinct_rows(np.ascontiguousarray(found.states))
        sums = np.bincount(inverse, found.weights, len(firsts)).astype(np.float64)
        return found.states[firsts], sums / (sums.sum() or 1.0)


def counted(number: int, one: str, many: str) -> str:
    """A number with what it counts: `1 history`, `2 histories`."""
    return f"{number:,} {one if number == 1 else many}"
