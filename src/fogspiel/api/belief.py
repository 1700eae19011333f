"""Beliefs: the histories and states that a player must consider possible, with probabilities."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, cached_property
from typing import TYPE_CHECKING, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from fogspiel.api.histories import Histories, PossibleStates, counted
from fogspiel.api.history import History
from fogspiel.api.names import meant, term_of
from fogspiel.api.state import State
from fogspiel.api.strategy import AnyStrategy, Strategy
from fogspiel.api.view import View
from fogspiel.belief.methods import AutoBelief, make_belief
from fogspiel.belief.models import MoveProbabilities, ParanoidModel, Past, PolicyModel
from fogspiel.belief.positions import possible_states
from fogspiel.belief.protocol import BeliefLimits, OpponentModel
from fogspiel.core.findings import PlayError, UsageError
from fogspiel.core.limits import MEBIBYTE, refuse_count, refuse_seconds
from fogspiel.core.terms import RoleId
from fogspiel.machine.protocol import States, with_room
from fogspiel.rules.sexpr import exact_text

if TYPE_CHECKING:
    from fogspiel.api.game import Game

DRAWN = 4_096  #: Histories that are drawn where not all can be found
MOST_LISTED = 1_000_000  #: Histories that are listed where nobody says how many
SIMULATIONS = 10_000  #: Simulations of the search whose visits are the opponent model

Opponents: TypeAlias = "str | AnyStrategy | None"
"""An opponent model: `uniform` (None), `paranoid`, `visits`, or a strategy."""


UNKNOWN_FLUENT = "MCH005"


@final
class Belief(PossibleStates):
    """What a player can know: possible histories and states, and how probable each is.

    `View.belief` makes one. It is exact where all histories can be found; otherwise it is a sample,
    and `exact` is False.

    >>> game = fs.load("kuhn_poker")
    >>> belief = game.begin().play("(deal queen)").play("(deal king)").view("first").belief()
    >>> belief.size, belief.exact, belief.certain
    (2, True, ('(holds first queen)', '(turn open)'))
    >>> for state, probability in belief.states:
    ...     print(probability, state)
    0.5 State((holds first queen) (holds second jack) (turn open))
    0.5 State((holds first queen) (holds second king) (turn open))
    """

    def __init__(
        self,
        view: View,
        method: str = "auto",
        *,
        opponents: Opponents = None,
        seconds: float = 60.0,
        max_histories: int = 4_000_000,
        memory_mb: int = 1024,
        seed: int = 0,
        simulations: int = SIMULATIONS,
    ) -> None:
        """The belief of a view; `View.belief` says what the arguments mean."""
        refuse_seconds("seconds", seconds)
        refuse_count("max_histories", max_histories)
        refuse_count("memory_mb", memory_mb)
        refuse_count("seed", seed, 0)
        refuse_count("simulations", simulations)
        self.view = view  #: The view that it is the belief of
        self.game: Game = view.game  #: The game that is played
        limits = BeliefLimits(histories=max_histories, bytes=memory_mb * MEBIBYTE, seconds=seconds)
        self._seed = seed
        self._belief = make_belief(
            method,
            self.game.machine,
            view.role.id,
            limits,
            model=_model(view, opponents, simulations, seed),
            seed=seed,
        )
        for observation in view.observations:
            self._belief.advance(observation)

    @property
    def method(self) -> str:
        """The method that answers; `auto` hands over from one to another."""
        belief = self._belief
        return belief.chosen if isinstance(belief, AutoBelief) else belief.method

    @property
    def size(self) -> int | None:
        """The number of possible histories; None if it is not known."""
        return self._belief.size()

    @property
    def exact(self) -> bool:
        """Whether probabilities are exact, not estimated from a sample."""
        return self._states[2]

    def probability(self, event: str | State | Callable[[State], bool]) -> float:
        """The probability of a fact, of a state, or of all states for which a function is true.

        event: `"(holds second king)"`, a `State`, or a function such as `lambda s: "found" in s`.
        Raises `UsageError` API005 for a fact that the rules do not know.

        >>> belief.probability("(holds second king)")
        0.5
        >>> belief.probability(lambda state: "(holds second ace)" in state)
        0.0
        """
        if isinstance(event, State):
            return self._belief.probability(event.bits)
        if isinstance(event, str):
            return self._probability_of_fact(event)
        if not callable(event):
            raise TypeError(f"an event is a fact, a State or a function of a state; got {event!r}")
        return float(sum(share for state, share in self.states if event(state)))

    def sample(self, count: int, seed: int = 0) -> list[History]:
        """Histories drawn by their probability, independently.

        count: how many to draw; one may come more than once.
        seed: equal seeds give equal histories.

        >>> len(belief.sample(100, seed=1)), len(set(belief.sample(100, seed=1)))
        (100, 2)
        """
        refuse_count("count", count)
        refuse_count("seed", seed, 0)
        found = self._belief.sample(count, seed)
        if len(found) and np.ptp(found.weights) > 0.0:
            found = found.draw(count, np.random.default_rng([seed, count]))
        return [self.game.history(joints) for joints in found.joints.tolist()]

    def histories(self, limit: int = MOST_LISTED) -> Iterator[tuple[History, float]]:
        """The possible histories with their probabilities.

        Where the method cannot list any, they are drawn.
        limit: how many histories are listed at most.

        >>> [(history.moves[1]["random"], share) for history, share in belief.histories()]
        [(Move('(deal jack)'), 0.5), (Move('(deal king)'), 0.5)]
        """
        found = self.enumerate(limit)
        if not found.complete and not len(found):
            found = self.weighted_sample(min(limit, DRAWN), self._seed)
        return iter(found)

    def enumerate(self, limit: int = MOST_LISTED) -> Histories:
        """All possible histories, or as many of them as the limits allow.

        limit: how many histories are listed at most.
        Returns: the histories; `complete` says whether they are all.

        >>> belief.enumerate()
        Histories(2 histories, all that fit)
        """
        refuse_count("limit", limit)
        return Histories(self.game, self._belief.enumerate(limit))

    def weighted_sample(self, count: int, seed: int = 0) -> Histories:
        """Histories that the method draws, with the weights that make up for its bias.

        They may be fewer than asked for where the time was over before; `sample` draws from them
        by their weights.
        count: how many to draw; one may come more than once.
        seed: equal seeds give equal histories.

        >>> drawn = belief.weighted_sample(50, seed=1)
        >>> len(drawn), drawn.distinct, drawn.complete
        (50, 2, False)
        """
        refuse_count("count", count)
        refuse_count("seed", seed, 0)
        return Histories(self.game, self._belief.sample(count, seed))

    def _probability_of_fact(self, text: str) -> float:
        term = term_of(text)
        share = self.fluents.get(exact_text(term))
        if share is not None:
            return share
        try:
            self.game.machine.state_of([term])
        except PlayError as error:
            if error.findings[0].code != UNKNOWN_FLUENT:
                return 0.0
            raise UsageError.of(
                "API005",
                f"the rules know no fact {text!r}",
                fix=meant(text, self.fluents, "possible here:"),
            ) from None
        return 0.0

    @cached_property
    def _states(self) -> tuple[States, NDArray[np.float64], bool]:
        """The different states, their probabilities, and whether these are exact."""
        return possible_states(self._belief, DRAWN, self._seed)

    def _weighted(self) -> tuple[States, NDArray[np.float64]]:
        return self._states[:2]

    def __len__(self) -> int:
        """The number of different states that were found possible."""
        return len(self._states[0])

    def __bool__(self) -> bool:
        """True: no belief is empty."""
        return True

    def __repr__(self) -> str:
        size = self.size
        told = "histories not counted" if size is None else counted(size, "history", "histories")
        how = "exact" if self.exact else f"a sample by {self.method}"
        return f"Belief({told}, {counted(len(self), 'state', 'states')}, {how})"


def _model(view: View, opponents: Opponents, simulations: int, seed: int) -> OpponentModel | None:
    """The opponent model that is meant. Raises `UsageError` API006 for anything else."""
    if opponents is None or opponents == "uniform":
        return None
    if opponents == "paranoid":
        return ParanoidModel(view.role.id)
    if opponents == "visits":
        from fogspiel.search.mcts.statistics import visited_moves_model

        machine = with_room(view.game.machine)
        return visited_moves_model(machine, view.role.id, simulations=simulations, seed=seed)
    if isinstance(opponents, str):
        raise UsageError.of(
            "API006",
            f"there is no opponent model {opponents!r}",
            fix="use uniform, paranoid, visits, or a strategy",
        )
    game, strategy = view.game, Strategy.of(view.game, opponents)

    @cache
    def policy(role: RoleId, past: Past) -> MoveProbabilities | None:
        return strategy.by_ids(View(game, game.roles[role], past))

    return PolicyModel(policy)
