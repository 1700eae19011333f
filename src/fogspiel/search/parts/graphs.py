"""State graphs of one part of a game, while nothing is done in the other parts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.findings import LimitError
from fogspiel.core.kernels.rows import distinct_rows
from fogspiel.core.terms import RoleId
from fogspiel.machine.analysis.circuit_values import Reader
from fogspiel.machine.analysis.independent_parts import CLOCK, Parts
from fogspiel.machine.protocol import Machine, State, States

MAX_STATES = 200_000
FEWEST = 1 << 10
"""States whose steps are made together; half as many as before where those are more, so that a look
at the clock never comes much later than planned."""


@dataclass(frozen=True, slots=True, eq=False)
class PartGraph:
    """States of a part, the first of which is the present one, and the steps between them.

    States are whole ones of the game, in which everything outside the part is as it was.
    """

    states: States  #: (n, words)
    parents: NDArray[np.int64]  #: (steps,)
    moves: NDArray[np.int32]  #: (steps,) moves of the role
    children: NDArray[np.int64]  #: (steps,)
    classes: NDArray[np.int64]
    """(n,) classes of states, from 0, that goals and the end of the game do not tell apart."""
    values: NDArray[np.bool_]  #: (classes, concepts) truth values of the concepts in each class
    concepts: NDArray[np.int64]
    """(concepts,) literals by which goals and the end of the game depend on the part."""

    def walks(self, most: int) -> NDArray[np.bool_]:
        """(most + 1, n) whether states can be reached in exactly so many steps."""
        found = np.zeros((most + 1, len(self.states)), np.bool_)
        found[0, 0] = True
        for steps in range(1, most + 1):
            leads = found[steps - 1, self.parents]
            found[steps, self.children[leads]] = True
        return found

    def way(self, walks: NDArray[np.bool_], state: int, steps: int) -> list[int]:
        """Moves that lead to a state in exactly so many steps. walks: see `walks`."""
        moves: list[int] = []
        for before in range(steps - 1, -1, -1):
            fitting = (self.children == state) & walks[before, self.parents]
            step = int(np.flatnonzero(fitting)[0])
            moves.append(int(self.moves[step]))
            state = int(self.parents[step])
        return moves[::-1]


def part_graph(
    machine: Machine,
    parts: Parts,
    part: int,
    start: State,
    roles: tuple[RoleId, ...],
    budget: Budget,
) -> PartGraph:
    """Follow all moves of some roles in a part that keeps still and depends on no clock.

    budget: simulations are states. Raises `LimitError` SEA004 beyond it.
    """
    most = min(MAX_STATES, budget.simulations or MAX_STATES)
    own = parts.mask(part)
    states = start[None, :].copy()
    edges: list[tuple[NDArray[np.int64], NDArray[np.int32], States]] = []
    done = 0
    while done < len(states):
        fresh = states[done : done + max(FEWEST, done // 2)]
        after = []
        for role in roles:
            for parents, moves, reached in _steps(machine, parts, part, fresh, role):
                # Whatever else a step does, such as to the clock, is undone.
                children = (reached & own) | (start & ~own)
                edges.append((parents + done, moves, children))
                after.append(children)
        done += len(fresh)
        firsts, _ = distinct_rows(np.concatenate([states, *after]))
        states = np.concatenate([states, *after])[firsts]
        if len(states) > most or budget.is_over:
            raise LimitError.of(
                "SEA004",
                f"a part of the game has too many states: {len(states):,} and more",
                fix="search the game as a whole",
            )
    return _joined(parts, part, states, edges)


def _steps(
    machine: Machine, parts: Parts, part: int, states: States, role: RoleId
) -> list[tuple[NDArray[np.int64], NDArray[np.int32], States]]:
    """Parents, moves and children of all steps of a role in the part."""
    own = parts.of_moves[role] == part
    rows, moves = np.nonzero(machine.legal_batch(states, role) & own)
    if not len(rows):
        return []
    joints = np.zeros((len(rows), len(machine.roles)), np.int32)
    for other in range(len(machine.roles)):
        if other != role:
            # Others wait, with the first move that they have.
            joints[:, other] = machine.legal_batch(states, RoleId(other))[rows].argmax(axis=1)
    joints[:, role] = moves
    after = machine.step_batch(np.ascontiguousarray(states[rows]), joints)
    return [(rows.astype(np.int64), moves.astype(np.int32), after)]


def _joined(
    parts: Parts,
    part: int,
    states: States,
    edges: list[tuple[NDArray[np.int64], NDArray[np.int32], States]],
) -> PartGraph:
    none = np.zeros(0, np.int64)
    reached = [np.zeros((0, states.shape[1]), np.uint64), *(children for *_, children in edges)]
    _, numbers = distinct_rows(np.concatenate([states, *reached]))
    concepts = parts.concepts(part)
    held = Reader(parts.circuit, concepts)(states)
    values, classes = np.unique(held, axis=0, return_inverse=True)
    return PartGraph(
        states=states,
        parents=np.concatenate([none, *(parents for parents, *_ in edges)]),
        moves=np.concatenate([none.astype(np.int32), *(moves for _, moves, _ in edges)]),
        children=numbers[len(states) :],
        classes=classes.reshape(-1).astype(np.int64),
        values=values,
        concepts=concepts,
    )


def at_clock(machine: Machine, parts: Parts, start: State, most: int) -> States:
    """(n, words) the fluents of the clock after each number of steps, whatever is played.

    At most `most` steps; fewer where the clock leaves somebody without a move.
    """
    mask = parts.mask(CLOCK)
    state, found = start, [start & mask]
    for _ in range(most):
        legal = [machine.legal(state, RoleId(role)) for role in range(len(machine.roles))]
        if not all(legal):
            break
        joint = [moves[0] for moves in legal]
        # Other fluents stay as they are, so that there are moves to make.
        state = (machine.step(state, joint) & mask) | (start & ~mask)
        found.append(state & mask)
    return np.stack(found)
