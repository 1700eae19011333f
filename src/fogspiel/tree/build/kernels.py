"""Kernels that make the nodes of a step from its histories, and the histories of the next step.

A step of a history is a block of nodes: with c[0], c[1], … legal moves of the roles in the order of
moving, a role with a choice has a node for each choice of those before it, c[0]·…·c[r - 1] in all.
Joint moves are numbered in the same order, so that child a of node q of a role with n moves is
node q·n + a of the next role with a choice, or the joint move q·n + a if there is none.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import native

NO_DOUBT = -1


class HistoryBatch(NamedTuple):
    """Histories of the same length; those that agree in all of this are one."""

    states: NDArray[np.int32]  #: (n,) a state of the step
    knowledge: NDArray[np.int32]  #: (players, n) equal where the player did and saw the same
    reach: NDArray[np.float64]  #: (n,) the probability that chance plays like this


class JointMoves(NamedTuple):
    """The joint moves of the states of a step; see `Edges`."""

    counts: NDArray[np.int32]
    starts: NDArray[np.int64]
    chance_counts: NDArray[np.int32]  #: (states,) moves of chance; 1 if there is none
    lotteries: NDArray[np.float64]
    lottery_starts: NDArray[np.int64]


class Piece(NamedTuple):
    """The nodes of one step in level order, and their edges."""

    movers: NDArray[np.int8]
    infosets: NDArray[np.int32]  #: Numbered for each player from 0 on
    payoffs: NDArray[np.int32]
    reach: NDArray[np.float64]
    edge_counts: NDArray[np.int32]
    targets: NDArray[np.int32]  #: Nodes of this step; -1 - c for history c of the next one
    probabilities: NDArray[np.float64]
    entries: NDArray[np.int32]
    """(histories,) the first node of each; -1 - c if nobody has a choice, and c follows."""


@native
def measure(
    states: NDArray[np.int32],
    payoffs: NDArray[np.int32],
    counts: NDArray[np.int32],
    sizes: NDArray[np.int64],
) -> float:
    """sizes (1 + roles, 2): nodes and edges of ends and of each role. The joint moves in all."""
    followers = 0.0
    for history in range(len(states)):
        state = states[history]
        if payoffs[state] >= 0:
            sizes[0, 0] += 1
            continue
        block = 1.0
        for role in range(counts.shape[1]):
            count = counts[state, role]
            if count > 1:
                sizes[1 + role, 0] += np.int64(block)
                sizes[1 + role, 1] += np.int64(block * count)
                block *= count
        followers += block
    return followers


@native
def known_moves(
    histories: HistoryBatch,
    payoffs: NDArray[np.int32],
    legal_ids: NDArray[np.int32],
    player: int,
    known: NDArray[np.int32],
) -> int:
    """known (n,): the legal moves of the player by what it knows; -1 where play does not go on.

    Returns the first history in which they are not the same, or NO_DOUBT.
    """
    for history in range(len(histories.states)):
        state = histories.states[history]
        if payoffs[state] < 0:
            knowledge = histories.knowledge[player, history]
            if known[knowledge] < 0:
                known[knowledge] = legal_ids[player, state]
            elif known[knowledge] != legal_ids[player, state]:
                return history
    return NO_DOUBT


@native
def follow(
    histories: HistoryBatch,
    moves: JointMoves,
    successors: NDArray[np.int32],
    observations: NDArray[np.int32],
    observation_counts: NDArray[np.int64],
    next_states: NDArray[np.int32],
    keys: NDArray[np.uint64],
    next_reach: NDArray[np.float64],
) -> None:
    """Write where every joint move of every history leads: state, knowledge and probability.

    keys: (players, n) what the player knew before, times the number of its observations, plus its
    last observation.
    """
    # References to arrays in records are counted: once here, and not at each use in the loop.
    states, knowledge, reach = histories.states, histories.knowledge, histories.reach
    starts, chance_counts = moves.starts, moves.chance_counts
    lotteries, lottery_starts = moves.lotteries, moves.lottery_starts
    at = 0
    for history in range(len(states)):
        state = states[history]
        first = starts[state]
        size = starts[state + 1] - first
        for move in range(size):
            next_states[at + move] = successors[first + move]
        for player in range(len(keys)):
            known = np.uint64(knowledge[player, history]) * np.uint64(observation_counts[player])
            for move in range(size):
                keys[player, at + move] = known + np.uint64(observations[player, first + move])
        if size:
            shares = lotteries[lottery_starts[state] :][: chance_counts[state]]
            _spread(reach[history], shares, at, size, next_reach)
        at += size


@native
def _spread(
    reach: float, shares: NDArray[np.float64], first: int, size: int, out: NDArray[np.float64]
) -> None:
    """Write the probabilities of partial joint moves: equal for an equal move of chance."""
    stride = size // len(shares)
    for place in range(len(shares)):
        share = reach * shares[place]
        for at in range(first + place * stride, first + (place + 1) * stride):
            out[at] = share


@native
def pack(
    knowledge: NDArray[np.int32],
    words: NDArray[np.int64],
    sizes: NDArray[np.uint64],
    packed: NDArray[np.uint64],
) -> None:
    """Write what players know in each history into words, which are 0 at first.

    words, sizes: (players,) the word that each number goes to, and what it is below.
    """
    for player in range(len(knowledge)):
        word, size = words[player], sizes[player]
        for history in range(knowledge.shape[1]):
            known = np.uint64(knowledge[player, history])
            packed[history, word] = packed[history, word] * size + known


@native
def add_up(
    reach: NDArray[np.float64], following: NDArray[np.int32], sums: NDArray[np.float64]
) -> None:
    """Add the probability of each history to that of the one it becomes."""
    for history in range(len(reach)):
        sums[following[history]] += reach[history]


@native
def fill(
    histories: HistoryBatch,
    moves: JointMoves,
    payoffs: NDArray[np.int32],
    following: NDArray[np.int32],
    infosets: NDArray[np.int32],
    infoset_starts: NDArray[np.int64],
    cursors: NDArray[np.int64],
    first_node: int,
    piece: Piece,
) -> None:
    """Write the nodes and edges of a step.

    following: (joint moves of all histories,) the history of the next step that each leads to.
    infosets: of all players by what they know, those of player p from infoset_starts[p] on.
    cursors: (1 + roles, 2) where the nodes and edges of ends and of each role begin; is changed.
    """
    states, knowledge, reach = histories.states, histories.knowledge, histories.reach
    counts, chance_counts = moves.counts, moves.chance_counts
    lotteries, lottery_starts = moves.lotteries, moves.lottery_starts
    movers, node_infosets, node_payoffs = piece.movers, piece.infosets, piece.payoffs
    node_reach, edge_counts, entries = piece.reach, piece.edge_counts, piece.entries
    targets, probabilities = piece.targets, piece.probabilities
    roles = counts.shape[1]
    shift = roles - len(infoset_starts) + 1  # chance, if there is any, is no player
    follower = 0
    for history in range(len(states)):
        state = states[history]
        if payoffs[state] >= 0:
            node = cursors[0, 0]
            entries[history] = first_node + node
            movers[node], node_infosets[node], edge_counts[node] = -1, -1, 0
            node_payoffs[node], node_reach[node] = payoffs[state], reach[history]
            cursors[0, 0] += 1
            continue
        block = 1
        shares = lotteries[lottery_starts[state] :][: chance_counts[state]]
        for role in range(roles):
            count = counts[state, role]
            if count == 1:
                continue
            first, first_edge = cursors[1 + role]
            if block == 1:
                entries[history] = first_node + first
            player = role - shift
            if player >= 0:
                infoset = infosets[infoset_starts[player] + knowledge[player, history]]
                node_infosets[first : first + block] = infoset
                _spread(reach[history], shares, first, block, node_reach)
                probabilities[first_edge : first_edge + block * count] = 1.0
            else:
                node_infosets[first], node_reach[first] = -1, reach[history]
                probabilities[first_edge : first_edge + count] = shares
            movers[first : first + block] = player + 1
            node_payoffs[first : first + block] = -1
            edge_counts[first : first + block] = count
            later = _next_choice(counts, state, role)
            if later < roles:
                child = first_node + cursors[1 + later, 0]
                for edge in range(block * count):
                    targets[first_edge + edge] = child + edge
            else:
                for edge in range(block * count):
                    targets[first_edge + edge] = -1 - following[follower + edge]
            cursors[1 + role, 0] += block
            block *= count
            cursors[1 + role, 1] += block
        if block == 1:
            entries[history] = -1 - following[follower]
        follower += block


@native
def _next_choice(counts: NDArray[np.int32], state: int, role: int) -> int:
    """The next role after this one that has a choice."""
    later = role + 1
    while later < counts.shape[1] and counts[state, later] == 1:
        later += 1
    return later


@native
def settle(links: NDArray[np.int32], entries: NDArray[np.int32]) -> None:
    """Replace histories of the next step, -1 - c, by their first nodes."""
    for i in range(len(links)):
        if links[i] < 0:
            links[i] = entries[-1 - links[i]]
