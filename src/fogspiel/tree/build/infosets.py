"""What nodes of a tree refer to by numbers: infosets and sequences, and payoffs where it ends.

What a player knows is what it knew before and its last observation: its own move, and its percepts.
So it remembers all of its moves, and every infoset has one sequence before it. Payoffs are goals of
states that end the game, or the values of an evaluation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.kernels.rows import distinct_rows, numbered_rows
from fogspiel.core.native import native
from fogspiel.core.terms import RoleId
from fogspiel.machine.protocol import Machine, States
from fogspiel.tree.build.labels import BuiltNames, PlayerRecord
from fogspiel.tree.game_tree import NO_INFOSET, Infosets

Numbers = NDArray[np.int32]  #: (n,)


@dataclass(slots=True)
class _Known:
    """What one player can know in the present step."""

    record: PlayerRecord
    sequences: Numbers  #: (n,) what the player did so far, as one of its sequences
    infosets: Numbers  #: (n,) `NO_INFOSET` where the player has no choice
    first_sequences: Numbers  #: (n,) the first sequence of the infoset
    legal: Numbers  #: (n,) rows of `places`
    places: Numbers = field(default_factory=lambda: np.empty((0, 0), np.int32))
    """(sets of legal moves, moves) the place of each move in each set."""
    parent_sequences: list[Numbers] = field(default_factory=list)
    """The sequence before each infoset, for each step."""
    action_counts: list[Numbers] = field(default_factory=list)
    infoset_count: int = 0
    sequence_count: int = 1


class InfosetTable:
    """What all players know."""

    def __init__(self, machine: Machine, roles: Sequence[RoleId]) -> None:
        self._machine = machine
        self._roles = roles
        none = np.full(1, NO_INFOSET, np.int32)
        self._known = [
            _Known(PlayerRecord(), np.zeros(1, np.int32), none, none, none) for _ in roles
        ]

    def count(self, player: int) -> int:
        """The number of different things that a player can know in this step."""
        return len(self._known[player].sequences)

    def learn_moves(self, player: int, legal: Numbers, table: NDArray[np.bool_]) -> None:
        """Give an infoset to whatever a player can know with a choice of moves.

        legal: (n,) rows of the table by what the player knows; -1 where play does not go on.
        table: (sets of moves, moves) legality.
        """
        known = self._known[player]
        sizes = np.append(table.sum(axis=1), 0).astype(np.int32)
        choosing = np.flatnonzero(sizes[legal] > 1)
        counts = sizes[legal[choosing]]
        known.infosets = np.full(len(legal), NO_INFOSET, np.int32)
        known.infosets[choosing] = known.infoset_count + np.arange(len(choosing))
        known.first_sequences = np.zeros(len(legal), np.int32)
        known.first_sequences[choosing] = known.sequence_count + np.cumsum(counts) - counts
        known.legal = legal
        known.places = np.cumsum(table, axis=1, dtype=np.int32) - 1
        known.parent_sequences.append(known.sequences[choosing])
        known.action_counts.append(counts)
        known.infoset_count += len(choosing)
        known.sequence_count += int(counts.sum())
        known.record.add_infosets(choosing, legal[choosing], table)

    def learn(
        self, player: int, keys: NDArray[np.uint64], observations: NDArray[np.uint64]
    ) -> Numbers:
        """(n,) what a player knows after the step in each of n histories.

        keys: what it knew before, times the number of observations, plus its own as a row of
        `observations`.
        """
        known = self._known[player]
        firsts, after = numbered_rows(keys[:, None])
        steps = np.empty((len(firsts), 2), np.int32)
        sequences = np.empty(len(firsts), np.int32)
        _remember(
            keys,
            firsts,
            (observations[:, 0] >> np.uint64(1)).astype(np.int64),
            known.legal,
            known.places,
            known.infosets,
            known.first_sequences,
            known.sequences,
            steps,
            sequences,
        )
        known.record.add_step(steps, observations)
        known.sequences = sequences
        return after

    def infosets(self) -> tuple[Numbers, NDArray[np.int64]]:
        """The infosets by what players know, one player after the other, and where each begins."""
        starts = np.cumsum([0, *(len(known.infosets) for known in self._known)])
        return np.concatenate([known.infosets for known in self._known]), starts

    def table(self) -> Infosets:
        """All infosets, by player."""
        sizes = [known.infoset_count for known in self._known]
        players = np.repeat(np.arange(1, len(sizes) + 1, dtype=np.int8), sizes)
        counts = [np.concatenate(known.action_counts) for known in self._known]
        records = [known.record for known in self._known]
        starts = np.cumsum([0, *sizes])
        return Infosets(
            players=players,
            starts=starts,
            action_counts=np.concatenate(counts),
            parent_sequences=np.concatenate(
                [part for known in self._known for part in known.parent_sequences]
            ),
            first_sequences=np.concatenate(
                [1 + np.cumsum(own, dtype=np.int32) - own for own in counts]
            ),
            names=BuiltNames(self._machine, self._roles, records, starts),
        )


@native
def _remember(
    keys: NDArray[np.uint64],
    firsts: NDArray[np.int64],
    moves: NDArray[np.int64],
    legal: NDArray[np.int32],
    places: NDArray[np.int32],
    infosets: NDArray[np.int32],
    first_sequences: NDArray[np.int32],
    sequences: NDArray[np.int32],
    steps: NDArray[np.int32],
    sequences_after: NDArray[np.int32],
) -> None:
    """Write what was known before and the observation, and the sequence after the player's move.

    firsts: where in `keys` each thing known now stands first. moves: the move of each observation.
    """
    for i in range(len(firsts)):
        key = np.int64(keys[firsts[i]])
        before, seen = key // len(moves), key % len(moves)
        steps[i, 0], steps[i, 1] = before, seen
        if infosets[before] >= 0:
            place = places[legal[before], moves[seen]]
            sequences_after[i] = first_sequences[before] + place
        else:
            sequences_after[i] = sequences[before]


Evaluate = Callable[[States], NDArray[np.float64]]
"""(n, words) states that are not terminal -> (n, players) payoffs, in the unit of the tree."""

Cut = Callable[[States, int], NDArray[np.bool_]]
"""(n, words) states and their step -> (n,) where play is cut."""

GOES_ON = -1


class PayoffTable:
    """Different payoffs, numbered as they are met."""

    def __init__(
        self,
        machine: Machine,
        depth: int | None = None,
        evaluate: Evaluate | None = None,
        cut: Cut | None = None,
    ) -> None:
        """depth: the step before which play is cut, and states are evaluated; cut: where else."""
        self._machine = machine
        self._depth, self._cut = depth, cut
        self._evaluate = evaluate
        roles = map(RoleId, range(len(machine.roles)))
        self._players = [role for role in roles if role != machine.chance_role]
        self._numbers: dict[tuple[Fraction, ...], int] = {}

    @property
    def table(self) -> tuple[tuple[Fraction, ...], ...]:
        """Different payoffs of all players."""
        return tuple(self._numbers)

    def of_step(self, states: States, step: int) -> NDArray[np.int32]:
        """(states,) rows of the table for states of a step; GOES_ON where play does."""
        rows = np.full(len(states), GOES_ON, np.int32)
        ended = self._machine.terminal_batch(states)
        if ended.any():
            goals = self._machine.goals_batch(states[ended])[:, self._players]
            scale = self._machine.goal_scale
            rows[ended] = self._numbered(goals, lambda goal: Fraction(int(goal), scale))
        cut = ~ended if step == self._depth else np.zeros(len(states), np.bool_)
        if self._cut is not None:
            cut |= ~ended & self._cut(states, step)
        if cut.any():
            rows[cut] = self._numbered(self._evaluated(states[cut]), Fraction)
        return rows

    def _evaluated(self, states: States) -> NDArray[np.float64]:
        assert self._evaluate is not None, "a tree is cut only where states can be evaluated"
        values = np.asarray(self._evaluate(states), np.float64)
        expected = len(states), len(self._players)
        if values.shape != expected or not np.isfinite(values).all():
            raise ValueError(f"an evaluation gives {expected} finite payoffs; got {values.shape}")
        return values + 0.0  # -0.0 is no payoff of its own

    def _numbered(
        self,
        payoffs: NDArray[np.int64] | NDArray[np.float64],
        exact: Callable[[int | float], Fraction],
    ) -> NDArray[np.int64]:
        """(n,) the rows of the table that hold the payoffs."""
        firsts, inverse = distinct_rows(np.ascontiguousarray(payoffs).view(np.uint64))
        numbers = self._numbers
        found = [
            numbers.setdefault(tuple(map(exact, row)), len(numbers))
            for row in payoffs[firsts].tolist()
        ]
        return np.array(found, np.int64)[inverse]
