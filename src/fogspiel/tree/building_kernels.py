"""From the courses of play that reach a step to their nodes, and to the courses of the next step.

A step of a course is a block of nodes: with c[0], c[1], … legal moves of the roles in the order of
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


class Courses(NamedTuple):
    """Courses of play of the same length; those that agree in all of this are one."""

    states: NDArray[np.int32]
    """(n,) a state of the step."""
    knowledge: NDArray[np.int32]
    """(players, n) equal where the player did and saw the same."""
    reach: NDArray[np.float64]
    """(n,) the probability that chance plays like this."""


class Moves(NamedTuple):
    """The joint moves of the states of a step; see `Edges`."""

    counts: NDArray[np.int32]
    starts: NDArray[np.int64]
    lotteries: NDArray[np.float64]
    lottery_starts: NDArray[np.int64]


class Piece(NamedTuple):
    """The nodes of one step in level order, and their edges."""

    movers: NDArray[np.int8]
    infosets: NDArray[np.int32]
    """Numbered for each player from 0 on."""
    payoffs: NDArray[np.int32]
    reach: NDArray[np.float64]
    edge_counts: NDArray[np.int32]
    targets: NDArray[np.int32]
    """Nodes of this step; -1 - c for course c of the next one."""
    probabilities: NDArray[np.float64]
    entries: NDArray[np.int32]
    """(courses,) the first node of each; -1 - c if nobody has a choice, and c follows."""


@native
def measure(
    states: NDArray[np.int32],
    payoffs: NDArray[np.int32],
    counts: NDArray[np.int32],
    sizes: NDArray[np.int64],
) -> float:
    """sizes (1 + roles, 2): nodes and edges of ends and of each role. The joint moves in all."""
    followers = 0.0
    for course in range(len(states)):
        state = states[course]
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
    courses: Courses,
    payoffs: NDArray[np.int32],
    legal_ids: NDArray[np.int32],
    player: int,
    known: NDArray[np.int32],
) -> int:
    """known (n,): the legal moves of the player by what it knows; -1 where play does not go on.

    Returns the first course in which they are not the same, or NO_DOUBT.
    """
    for course in range(len(courses.states)):
        state = courses.states[course]
        if payoffs[state] < 0:
            knowledge = courses.knowledge[player, course]
            if known[knowledge] < 0:
                known[knowledge] = legal_ids[player, state]
            elif known[knowledge] != legal_ids[player, state]:
                return course
    return NO_DOUBT


@native
def follow(
    courses: Courses,
    moves: Moves,
    successors: NDArray[np.int32],
    sights: NDArray[np.int32],
    sight_counts: NDArray[np.int64],
    next_states: NDArray[np.int32],
    keys: NDArray[np.uint64],
    reach: NDArray[np.float64],
) -> None:
    """Write where every joint move of every course leads: state, knowledge and probability.

    keys (players, n): what the player knew before, times its sights, plus its last sight.
    """
    at = 0
    for course in range(len(courses.states)):
        state = courses.states[course]
        first = moves.starts[state]
        size = moves.starts[state + 1] - first
        for edge in range(first, first + size):
            next_states[at + edge - first] = successors[edge]
        for player in range(len(keys)):
            known = np.uint64(courses.knowledge[player, course])
            before = known * np.uint64(sight_counts[player])
            for edge in range(first, first + size):
                keys[player, at + edge - first] = before + np.uint64(sights[player, edge])
        for move in range(size):
            reach[at + move] = courses.reach[course] * _chance(moves, state, move, size)
        at += size


@native
def _chance(moves: Moves, state: int, place: int, size: int) -> float:
    """The probability of chance's part in partial joint move `place` of `size`."""
    if len(moves.lottery_starts) == 0:
        return 1.0
    stride = size // moves.counts[state, 0]
    share: float = moves.lotteries[moves.lottery_starts[state] + place // stride]
    return share


@native
def fill(
    courses: Courses,
    moves: Moves,
    payoffs: NDArray[np.int32],
    following: NDArray[np.int32],
    infosets: NDArray[np.int32],
    infoset_starts: NDArray[np.int64],
    cursors: NDArray[np.int64],
    first_node: int,
    piece: Piece,
) -> None:
    """Write the nodes and edges of a step.

    following: (joint moves of all courses,) the course of the next step that each leads to.
    infosets: of all players by what they know, those of player p from infoset_starts[p] on.
    cursors: (1 + roles, 2) where the nodes and edges of ends and of each role begin; is changed.
    """
    roles = moves.counts.shape[1]
    shift = 1 if len(moves.lottery_starts) else 0  # chance is no player
    follower = 0
    for course in range(len(courses.states)):
        state = courses.states[course]
        if payoffs[state] >= 0:
            piece.entries[course] = first_node + cursors[0, 0]
            _end(cursors, payoffs[state], courses.reach[course], piece)
            continue
        block = 1
        piece.entries[course] = -1
        for role in range(roles):
            if moves.counts[state, role] == 1:
                continue
            if block == 1:
                piece.entries[course] = first_node + cursors[1 + role, 0]
            player = role - shift
            infoset = -1
            if player >= 0:
                infoset = infosets[infoset_starts[player] + courses.knowledge[player, course]]
            _nodes(courses, moves, course, role, block, player, infoset, cursors, piece)
            _edges(
                moves, state, role, block, player, follower, following, cursors, first_node, piece
            )
            block *= moves.counts[state, role]
        if block == 1:
            piece.entries[course] = -1 - following[follower]
        follower += block


@native
def _end(cursors: NDArray[np.int64], payoff: int, reach: float, piece: Piece) -> None:
    node = cursors[0, 0]
    piece.movers[node] = -1
    piece.infosets[node] = -1
    piece.payoffs[node] = payoff
    piece.reach[node] = reach
    piece.edge_counts[node] = 0
    cursors[0, 0] += 1


@native
def _nodes(
    courses: Courses,
    moves: Moves,
    course: int,
    role: int,
    block: int,
    player: int,
    infoset: int,
    cursors: NDArray[np.int64],
    piece: Piece,
) -> None:
    """Write the nodes of one role in one step of a course; its cursor stays before them."""
    state = courses.states[course]
    first = cursors[1 + role, 0]
    for place in range(block):
        node = first + place
        piece.movers[node] = player + 1
        piece.infosets[node] = infoset
        piece.payoffs[node] = -1
        share = _chance(moves, state, place, block) if player >= 0 else 1.0
        piece.reach[node] = courses.reach[course] * share
        piece.edge_counts[node] = moves.counts[state, role]


@native
def _edges(
    moves: Moves,
    state: int,
    role: int,
    block: int,
    player: int,
    follower: int,
    following: NDArray[np.int32],
    cursors: NDArray[np.int64],
    first_node: int,
    piece: Piece,
) -> None:
    """Write the edges of these nodes, and move the cursors of the role."""
    count = moves.counts[state, role]
    later = role + 1
    while later < moves.counts.shape[1] and moves.counts[state, later] == 1:
        later += 1
    first = cursors[1 + role, 1]
    for child in range(block * count):
        if later < moves.counts.shape[1]:
            piece.targets[first + child] = first_node + cursors[1 + later, 0] + child
        else:
            piece.targets[first + child] = -1 - following[follower + child]
    for child in range(block * count):
        chance = _chance(moves, state, child, count) if player < 0 else 1.0
        piece.probabilities[first + child] = chance
    cursors[1 + role, 0] += block
    cursors[1 + role, 1] += block * count


@native
def settle(links: NDArray[np.int32], entries: NDArray[np.int32]) -> None:
    """Replace courses of the next step, -1 - c, by their first nodes."""
    for i in range(len(links)):
        if links[i] < 0:
            links[i] = entries[-1 - links[i]]
