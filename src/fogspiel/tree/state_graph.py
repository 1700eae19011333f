"""The states of a game in which every player always knows the state, though moves are made at once.

What was played before does not matter then: whoever comes to a state faces the same game, a matrix
of joint moves with the states that follow. There are far fewer states than histories, and from the
last step backwards each is solved by itself.

Source: Shafiei Khadem (2010), section 4.6: without hidden moves an infoset is a single state.
Departures: chance may move too; a state that is met in several steps is listed in each, which keeps
the graph free of circles.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.findings import PlayError
from fogspiel.core.kernels.rows import distinct_rows, numbered_rows, stacked, widened
from fogspiel.core.limits import DEFAULT_MAX_BYTES, DEFAULT_MAX_NODES, SizeLimits, too_large
from fogspiel.core.native import native
from fogspiel.core.terms import GroundTerm, MoveId, RoleId, format_term
from fogspiel.machine.analysis.features import roles_seeing_all_moves
from fogspiel.machine.expander import Expander, JointEdges
from fogspiel.machine.protocol import DEFAULT_MAX_STEPS, Machine, State, States
from fogspiel.tree.build.infosets import Evaluate, PayoffTable
from fogspiel.tree.game_tree import GameTree

Numbers = NDArray[np.int32]  #: (n,)


@dataclass(frozen=True, kw_only=True, eq=False)
class StateGraph:
    """All states, step by step. State 0 is the first one."""

    title: str
    players: tuple[str, ...]
    level_starts: NDArray[np.int64]
    """(steps + 1,) the states of step i are level_starts[i]:level_starts[i + 1]."""
    state_payoffs: Numbers  #: (states,) a row of `payoffs`; -1 where play goes on
    counts: NDArray[np.int32]
    """(states, 1 + players) legal moves of chance (1 if there is none) and of each player; 0 at
    ends."""
    first_edges: NDArray[np.int64]
    """(states + 1,) the edges of a state: for each move of chance all joint moves of the players in
    lexicographic order, those of the last player changing fastest."""
    targets: Numbers  #: (edges,) the state that each leads to, one of the next step
    first_shares: NDArray[np.int64]
    """(states + 1,) the place where the probabilities of each state begin."""
    shares: NDArray[np.float64]  #: Probabilities of the moves of chance, one state after the other
    exact_payoffs: tuple[tuple[Fraction, ...], ...]  #: Different payoffs of all players
    states: States  #: (states, words)
    machine: Machine

    def __len__(self) -> int:
        """The number of states."""
        return len(self.state_payoffs)

    @property
    def payoffs(self) -> NDArray[np.float64]:
        """(rows, players) different payoffs of all players."""
        rows = [[float(payoff) for payoff in row] for row in self.exact_payoffs]
        return np.array(rows, np.float64).reshape(-1, len(self.players))

    def decision(self, state: int, player: int) -> int:
        """The number of the decision of a player, from 1 on, in a state, as strategies count."""
        return state * len(self.players) + player - 1

    def joint_values(self, state: int, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Mean values of the joint moves in a state, over chance.

        values: (states, players) of all states of later steps.
        Returns: (moves of player 1, …, moves of the last player, players)
        """
        chance, *moves = self.counts[state].tolist()
        following = self.targets[self.first_edges[state] : self.first_edges[state + 1]]
        shares = self.shares[self.first_shares[state] : self.first_shares[state + 1]]
        each = values[following].reshape(chance, -1)
        mean: NDArray[np.float64] = (shares @ each).reshape(*moves, values.shape[1])
        return mean

    def actions(self, state: int, player: int) -> tuple[str, ...]:
        """The moves that a player, from 1 on, chooses from."""
        role = RoleId(self.machine.roles.index(self.players[player - 1]))
        moves = self.machine.legal(self.states[state], role)
        return tuple(format_term(self.machine.move_term(role, MoveId(move))) for move in moves)

    def fluents(self, state: int) -> tuple[GroundTerm, ...]:
        """What holds in a state."""
        return self.machine.fluent_terms(self.states[state])


def build_state_graph(
    machine: Machine,
    *,
    title: str = "",
    max_states: int = DEFAULT_MAX_NODES,
    max_bytes: int = DEFAULT_MAX_BYTES,
    progress: Callable[[int], None] | None = None,
    start: State | None = None,
    depth: int | None = None,
    evaluate: Evaluate | None = None,
) -> StateGraph:
    """The state graph of a game without secrets. Payoffs are goals, as in `build`.

    progress: called after each step with the number of states so far.
    start: where the graph begins, known to all; the initial state if not given.
    depth: steps from there after which play is cut; `evaluate` gives the values of states there.
    Raises `PlayError` TRE005 if a player may not know the state, `LimitError` TRE001 beyond the
    limits.
    """
    if depth is not None and (evaluate is None or depth < 0):
        raise ValueError(f"a limit on depth is at least 0, and needs `evaluate`; got {depth}")
    first = machine.initial() if start is None else start
    graph = _Graph(
        PayoffTable(machine, depth, evaluate), SizeLimits(max_states, max_bytes), machine, first
    )
    while len(graph.frontier):
        if len(graph.layers) > DEFAULT_MAX_STEPS:
            raise too_large(max_states)
        graph.step()
        if progress is not None:
            progress(graph.budget.nodes)
    return graph.joined(title)


class _Graph:
    """A graph as far as it is made."""

    def __init__(
        self, payoffs: PayoffTable, budget: SizeLimits, machine: Machine, start: State
    ) -> None:
        self._expander = Expander(machine, budget, all_seeing=roles_seeing_all_moves(machine))
        self._payoffs = payoffs
        self.budget = budget
        self.frontier: States = start[None, :]
        self.layers: list[tuple[States, Numbers, NDArray[np.int32], JointEdges]] = []
        """The states of each step, their payoffs, counts of moves, and edges."""

    def step(self) -> None:
        """Expand all states of a step."""
        states = self.frontier
        self.budget.take_nodes(len(states))
        payoffs = self._payoffs.of_step(states, len(self.layers))
        choices = self._expander.choices(states, payoffs < 0)
        layer = self._expander.expand(states, choices)
        self._refuse_secrets(layer.edges)
        counts = choices.counts
        if not self._expander.has_chance:
            counts = np.concatenate([(payoffs < 0).astype(np.int32)[:, None], counts], axis=1)
        # What players saw was needed for the check only.
        edges = layer.edges._replace(observations=np.empty((0, 0), np.int32))
        held = (states, payoffs, counts, *edges)
        self.budget.take_bytes(sum(array.nbytes for array in held))
        self.layers.append((states, payoffs, counts, edges))
        self.frontier = layer.next_states

    def _refuse_secrets(self, edges: JointEdges) -> None:
        """Raise an error if a player who knew the state may not know the next one."""
        owners = np.repeat(np.arange(len(edges.starts) - 1), np.diff(edges.starts))
        for role, observations in zip(self._expander.observers, edges.observations, strict=True):
            known = np.stack([owners, observations], axis=1).astype(np.uint64)
            firsts, same = distinct_rows(known)
            if (edges.successors[firsts][same] != edges.successors).any():
                name = self._expander.machine.roles[role]
                raise PlayError.of(
                    "TRE005",
                    f"states do not stand for histories: after step {len(self.layers) + 1}, "
                    f"{name} may not know the state",
                    fix="use the tree of the game, which keeps what each player knows",
                )

    def joined(self, title: str) -> StateGraph:
        """All steps together."""
        states, payoffs, counts, edges = zip(*self.layers, strict=True)
        starts = np.cumsum([0, *map(len, states)])
        width = max(rows.shape[1] for rows in states)
        machine = self._expander.machine
        all_counts = np.concatenate(counts)
        has_chance = self._expander.has_chance
        return StateGraph(
            title=title,
            players=tuple(machine.roles[role] for role in self._expander.players),
            level_starts=starts,
            state_payoffs=np.concatenate(payoffs),
            counts=all_counts,
            first_edges=_bounds(np.concatenate([np.diff(own.starts) for own in edges])),
            targets=np.concatenate(
                [
                    own.successors + np.int32(start)
                    for own, start in zip(edges, starts[1:], strict=True)
                ]
            ),
            first_shares=_bounds(all_counts[:, 0]),
            shares=np.concatenate([own.lotteries for own in edges])
            if has_chance
            else np.ones(int(all_counts[:, 0].sum())),
            exact_payoffs=self._payoffs.table,
            states=np.concatenate([widened(rows, width) for rows in states]),
            machine=machine,
        )


def shared_states(earlier: StateGraph, later: StateGraph, steps: int) -> NDArray[np.int64]:
    """(pairs, 2) the numbers of the states that two graphs have at the same step of a match.

    steps: how many steps of the match the later graph begins after the earlier one.
    """
    pairs = [np.empty((0, 2), np.int64)]
    for level in range(min(len(earlier.level_starts) - steps, len(later.level_starts)) - 1):
        old_first, old_end = earlier.level_starts[level + steps : level + steps + 2]
        first, end = later.level_starts[level : level + 2]
        olds = old_end - old_first
        # A step lists no state twice: only one of the other graph is the same.
        rows = stacked([earlier.states[old_first:old_end], later.states[first:end]])
        olders, numbers = numbered_rows(rows)
        places = olders[numbers[olds:]]
        found = np.flatnonzero(places < olds)
        pairs.append(np.stack([old_first + places[found], first + found], axis=1))
    return np.concatenate(pairs)


def infoset_states(graph: StateGraph, tree: GameTree) -> Numbers:
    """(infosets,) the state in which the player of each infoset of the game's tree is.

    tree: of the same game, by `build`.
    """
    if tree.players != graph.players:
        raise ValueError(f"the tree is of {tree.players}, the states of {graph.players}")
    found = np.full(len(tree.infosets), -1, np.int32)
    places = np.zeros((len(tree), 2), np.int64)
    _walk(
        graph.counts,
        graph.first_edges,
        graph.targets,
        tree.movers,
        tree.node_infosets,
        tree.first_edges,
        tree.targets,
        places,
        found,
    )
    return found


@native
def _walk(
    counts: NDArray[np.int32],
    first_edges: NDArray[np.int64],
    following: NDArray[np.int32],
    movers: NDArray[np.int8],
    node_infosets: NDArray[np.int32],
    node_edges: NDArray[np.int64],
    node_targets: NDArray[np.int32],
    places: NDArray[np.int64],
    found: NDArray[np.int32],
) -> None:
    """places: (nodes, 2) the state of each node, and the joint move made so far in it."""
    places[0, 0] = _decision(counts, first_edges, following, 0)
    for node in range(len(movers)):
        state, made = places[node]
        if movers[node] > 0:
            found[node_infosets[node]] = state
        later = 1
        for role in range(movers[node] + 1, counts.shape[1]):
            later *= counts[state, role]
        count = node_edges[node + 1] - node_edges[node]
        for action in range(count):
            child = node_targets[node_edges[node] + action]
            joint = made * count + action
            if later == 1:
                after = following[first_edges[state] + joint]
                places[child, 0] = _decision(counts, first_edges, following, after)
                places[child, 1] = 0
            else:
                places[child, 0] = state
                places[child, 1] = joint


@native
def _decision(
    counts: NDArray[np.int32],
    first_edges: NDArray[np.int64],
    following: NDArray[np.int32],
    state: int,
) -> int:
    """The first state from here on in which somebody has a choice, or play ends."""
    while first_edges[state + 1] - first_edges[state] == 1:
        state = following[first_edges[state]]
    return state


def _bounds(sizes: NDArray[np.int64] | NDArray[np.int32]) -> NDArray[np.int64]:
    bounds = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=bounds[1:])
    return bounds
