"""A game in extensive form as flat arrays in level order: what solvers sweep over.

Edges lead from a level to later ones: a sweep over the nodes forwards meets every node after all
that lead to it, a sweep backwards after all that follow. Histories that agree in the state and in
what every player knows may be one node, with several edges into it: they can differ in moves of
chance only, since every player knows its own. So all histories of a node consist of the same
sequence of each player, and `chance_reach` holds what their chance moves come to together.

A sequence of a player is the list of its own actions on the way. Sequence 0 is the empty one; each
action of each infoset ends one more. With perfect recall an infoset has one sequence before it.

What a role did and saw, step by step, names its information set. A list of `ObservationText`, one
for each step, is exact: it tells the set apart from all others, in a file or between programs. A
label is for reading: the same without moves that were forced, cut to its end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import native
from fogspiel.core.terms import Observation, RoleId, format_term
from fogspiel.machine.protocol import Machine
from fogspiel.rules.sexpr import exact_text

LABEL_LENGTH = 80  #: Longer labels are cut at their start: the last observations tell the most


@dataclass(frozen=True, slots=True)
class ObservationText:
    """What a role did and saw in one step. Terms are in prefix notation."""

    move: str  #: The role's own move, also where it had no choice
    percepts: tuple[str, ...]  #: All percepts of the step, sorted


def observation_text(machine: Machine, role: RoleId, observation: Observation) -> ObservationText:
    """An observation with the names that the rules give to its move and its percepts."""
    seen = (exact_text(machine.percept_term(role, percept)) for percept in observation.percepts)
    move = exact_text(machine.move_term(role, observation.move))
    return ObservationText(move, tuple(sorted(seen)))


def observation_label(
    machine: Machine, role: RoleId, observation: Observation, *, is_forced: bool
) -> str:
    """The part of a label for one step: the move, if it was not forced, and the percepts.

    That the role observes its own move is not said twice.
    """
    own = machine.move_term(role, observation.move)
    seen = (machine.percept_term(role, percept) for percept in observation.percepts)
    told = ("does", machine.roles[role], own)
    terms = [*([] if is_forced else [own]), *(term for term in seen if term != told)]
    return " ".join(map(format_term, terms))


def infoset_label(backwards: Iterable[str]) -> str:
    """A label from the parts of its steps, the last step first, with semicolons between them."""
    parts: list[str] = []
    length = 0
    for part in backwards:
        if part:
            parts.append(part)
            length += len(part) + 2
        if length > LABEL_LENGTH:
            break
    label = "; ".join(reversed(parts))
    return label if len(label) <= LABEL_LENGTH else "…" + label[1 - LABEL_LENGTH :]


def distinct_labels(labels: Iterable[str]) -> Iterator[str]:
    """Labels of one role's information sets with a number at those that came before."""
    uses: Counter[str] = Counter()
    for label in labels:
        uses[label] += 1
        yield label if uses[label] == 1 else f"{label} #{uses[label]}"


NO_INFOSET = -1  #: The infoset of a node where chance moves or the game ends


class TreeNames(Protocol):
    """What people read: found when asked for, since a tree may have millions of infosets."""

    def infoset(self, infoset: int) -> str:
        """A label that no other infoset of the player has."""

    def label(self, infoset: int) -> str:
        """What the player did and saw, cut for reading: others may have the same label."""

    def actions(self, infoset: int) -> tuple[str, ...]:
        """The actions to choose from."""

    def observations(self, infoset: int) -> tuple[ObservationText, ...] | None:
        """What the player did and saw, step by step and whole; None where no steps are known."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Infosets:
    """All infosets of players: by player, and a player's own so that earlier ones come first."""

    players: NDArray[np.int8]  #: (infosets,) the player of each, from 1 on
    starts: NDArray[np.int64]
    """(players + 1,) the infosets of player p are starts[p - 1]:starts[p]."""
    action_counts: NDArray[np.int32]  #: (infosets,)
    parent_sequences: NDArray[np.int32]
    """(infosets,) what the player did before, as one of its sequences."""
    first_sequences: NDArray[np.int32]
    """(infosets,) action a makes the sequence first_sequences[i] + a of the player."""
    names: TreeNames

    def __len__(self) -> int:
        """The number of infosets."""
        return len(self.players)

    def sequence_count(self, player: int) -> int:
        """The number of sequences of a player, the empty one among them."""
        own = slice(*self.starts[player - 1 : player + 1])
        return 1 + int(self.action_counts[own].sum())


@dataclass(frozen=True, kw_only=True, eq=False)
class GameTree:
    """A whole game. Node 0 is the root."""

    title: str
    players: tuple[str, ...]
    level_starts: NDArray[np.int64]
    """(levels + 1,) the nodes of level i are level_starts[i]:level_starts[i + 1]."""
    movers: NDArray[np.int8]  #: (nodes,) a player from 1 on, `CHANCE` = 0, or `TERMINAL` = -1
    node_infosets: NDArray[np.int32]  #: (nodes,) `NO_INFOSET` where no player moves
    node_payoffs: NDArray[np.int32]  #: (nodes,) a row of `payoffs`; -1 where the game goes on
    chance_reach: NDArray[np.float64]  #: (nodes,) the probability that chance plays towards it
    first_edges: NDArray[np.int64]  #: (nodes + 1,) the edges of a node, in the order of the actions
    targets: NDArray[np.int32]  #: (edges,) the node that each leads to
    probabilities: NDArray[np.float64]
    """(edges,) the probability of a move of chance; 1 where a player moves."""
    infosets: Infosets
    exact_payoffs: tuple[tuple[Fraction, ...], ...]  #: Different payoffs of all players
    chance_names: Callable[[int], tuple[str, ...]] | None = None
    """The moves of chance at a chance node; None where they are not known."""

    def __len__(self) -> int:
        """The number of nodes."""
        return len(self.movers)

    @property
    def payoffs(self) -> NDArray[np.float64]:
        """(rows, players) different payoffs of all players."""
        rows = [[float(payoff) for payoff in row] for row in self.exact_payoffs]
        return np.array(rows, np.float64).reshape(-1, len(self.players))

    @property
    def leaves(self) -> NDArray[np.int64]:
        """The nodes that end the game."""
        return np.flatnonzero(self.node_payoffs >= 0)


def node_sequences(tree: GameTree) -> NDArray[np.int32]:
    """(nodes, players) the sequence of each player that leads to each node."""
    sequences = np.zeros((len(tree), len(tree.players)), np.int32)
    infosets = tree.infosets
    _spread(
        tree.movers,
        tree.node_infosets,
        tree.first_edges,
        tree.targets,
        infosets.first_sequences,
        sequences,
    )
    return sequences


@native
def _spread(
    movers: NDArray[np.int8],
    node_infosets: NDArray[np.int32],
    first_edges: NDArray[np.int64],
    targets: NDArray[np.int32],
    first_sequences: NDArray[np.int32],
    sequences: NDArray[np.int32],
) -> None:
    for node in range(len(movers)):
        for edge in range(first_edges[node], first_edges[node + 1]):
            child = targets[edge]
            for player in range(sequences.shape[1]):
                sequences[child, player] = sequences[node, player]
            if movers[node] > 0:
                action = edge - first_edges[node]
                own = first_sequences[node_infosets[node]] + action
                sequences[child, movers[node] - 1] = own
