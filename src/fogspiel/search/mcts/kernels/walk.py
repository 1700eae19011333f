"""The walk: simulations go through the graph as far as it reaches, without the machine.

In a node every role that has a choice asks its decision, which is found by the node or by what the
role knows; chance, and roles that do not learn, draw their moves. A joint move that was made before
leads to another node. A simulation stands where a decision is new, and its leaf is evaluated there;
it waits where a joint move was never made; where it comes to an end of the game it is learnt at
once, and the next begins.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.kernels.words import NONE, first_word, mixed, next_word, uniform_of
from fogspiel.search.mcts.kernels.backup import ARM, OWNER, ROLE, is_back, learn, met, opened
from fogspiel.search.mcts.kernels.bounds import UNKNOWN, visit
from fogspiel.search.mcts.kernels.decisions import (
    CHOSEN,
    KEYS,
    MOVES,
    ROWS,
    VISITS,
    Decisions,
    keep_key,
    present_row,
    row_of_key,
)
from fogspiel.search.mcts.kernels.graph import (
    BLOCK,
    COUNT,
    DECISION,
    END,
    HEAD,
    NUMBERS,
    SET,
    Graph,
    child_in_table,
    joint_key,
)
from fogspiel.search.mcts.kernels.parts import bare, step
from fogspiel.search.mcts.kernels.selection import (
    DRAWN,
    choose,
    forced,
    headers,
    moves_at_new,
    prepare,
)
from fogspiel.search.mcts.kernels.simulations import (
    ADDED,
    ASKS,
    BY_NODE,
    FREE,
    GOES_ON,
    LEAVES,
    STANDS,
    SearchOrder,
    Simulations,
    add_stratum,
    by_weight,
    drawn_pick,
    pick_of,
)

LONGEST_IDLE = 64
"""Steps in which no role has a decision, after which a simulation goes on at random: a game without
end would be followed for ever."""
Words = NDArray[np.uint64]
Reals = NDArray[np.float64]
Indices = NDArray[np.int64]


@bare
def walk(  # type: ignore[no-untyped-def]  # noqa: PLR0912, PLR0915 - one loop, whose arrays are unpacked once
    graph: Graph, decisions: Decisions, walkers: Simulations, order: SearchOrder, rule, seed: int
) -> int:
    """Go on with all simulations as far as the graph reaches; how many were begun."""
    # What is taken out of a tuple is counted each time: all is taken out once, here.
    heads, goals, children, nodes_rows = graph.heads, graph.goals, graph.children, graph.rows
    joint_keys, joint_table = graph.joint_keys, graph.joint_table
    edge_nodes, edge_words = graph.edge_nodes, graph.edge_words
    set_keys, set_rows = graph.set_keys, graph.set_rows
    moves, bounds = graph.moves, graph.bounds
    table, rows, sizes = decisions.table, decisions.rows, decisions.sizes
    picks, trail, chances, keys = walkers.picks, walkers.trail, walkers.chances, walkers.keys
    roots, tags, seats, columns = order.roots, order.tags, order.seats, order.columns
    strata, observer = order.strata, order.observer
    plays_on, is_full = order.plays_on, order.is_full
    roles, carried, own = goals.shape[1], keys.shape[1], headers(rule)
    longest = trail.shape[1] - roles
    path_steps, samples = order.paths.shape[1], len(order.learning) > 0
    word = first_word(seed)
    begun = steps = 0
    for row in range(len(walkers.states)):
        state, node, root = walkers.states[row], walkers.nodes[row], walkers.roots[row]
        outside, length, idle = walkers.outside[row], walkers.lengths[row], walkers.idle[row]
        tag, is_first = walkers.tags[row], False
        while state <= GOES_ON:
            if state == FREE:
                if row >= order.side_by_side or begun >= order.most or steps > order.most_steps:
                    break
                word = next_word(word)
                if len(order.bounds):
                    root = by_weight(order.bounds, uniform_of(word))
                else:
                    root = (order.turn + begun) % len(roots)
                node, tag, outside, length, idle = roots[root], tags[root], False, 0, 0
                for column in range(carried):
                    keys[row, column] = order.root_keys[root, column]
                if samples:
                    word = _begin_sampling(walkers, order, row, begun, word)
                begun += 1
                state, is_first = GOES_ON, True
            end = heads[node, END]
            if end != NONE:
                weight = sampling_weight(walkers, order, row)
                learner = walkers.learners[row]
                learn(rule, rows, trail, chances, row, length, goals, end, learner, weight)
                if len(strata):
                    add_stratum(order, trail, row, length, root, own, goals[end, observer])
                state = FREE
                continue
            if length > longest or idle > LONGEST_IDLE:
                state = STANDS
                break
            steps += 1
            idle += 1
            led, depth = np.int64(NONE), np.int64(0)
            if samples:
                depth = walkers.depths[row]
                walkers.depths[row] = depth + 1
                if depth == path_steps and path_steps:
                    known = nodes_rows[node, -2 - columns[observer]]
                    walkers.leads[row, 1] = known == order.target
                if depth < path_steps:
                    led = walkers.led[row]
                if led != NONE:
                    idle = 0
            number, was_outside, has_chosen = np.int64(0), outside, False
            # All of a first batch would stand at a new root, and teach it nothing.
            must_choose = led != NONE or (is_first and own == 1 and not moves_at_new(rule))
            is_first = False
            next_joint = prepare(rule, heads, rows, seats, tag, node)
            for role in range(roles):
                at = HEAD + NUMBERS * role
                count = np.int64(heads[node, at + COUNT])
                if count == 1:
                    continue
                move_set = heads[node, at + SET]
                word = next_word(word)
                uniform = uniform_of(word)
                pick = np.int64(NONE)
                if led != NONE:
                    first_move = set_rows[move_set, 0]
                    pick = pick_of(moves, first_move, count, order.paths[led, depth, role])
                block = np.int64(NONE)
                if not was_outside and seats[tag, role] != DRAWN:
                    key, column = np.uint64(0), columns[role]
                    block = np.int64(heads[node, at + DECISION]) - 1
                    if column >= 0:
                        key = keys[row, column] ^ set_keys[move_set]
                        block = row_of_key(table, key)
                    elif column < BY_NODE and block == NONE:
                        key = nodes_rows[node, -2 - column] ^ set_keys[move_set]
                        block = row_of_key(table, key)
                    before, is_open = block, False
                    if block != NONE:
                        block = present_row(rows, block)
                        is_open = rows[block, MOVES] != 0.0
                    has_room = is_open or (
                        not is_full and sizes[ROWS] + 2 * own + count <= len(rows)
                    )
                    # A new decision in a table needs a free place there.
                    has_place = column == BY_NODE or 4 * sizes[KEYS] < 3 * len(table)
                    if before == NONE and has_room and has_place:
                        block = sizes[ROWS]
                        sizes[ROWS] += own
                        if column != BY_NODE:
                            keep_key(decisions, key, block)
                    stands = not must_choose and not is_open
                    if stands and before != NONE and is_back(rule, rows, block):
                        # Without room for its moves, it is as if the decision were not there.
                        stands = False
                        if not has_room:
                            outside, block = True, np.int64(NONE)
                    if stands:
                        outside, has_chosen = True, has_chosen or moves_at_new(rule)
                        pick = drawn_pick(set_rows, bounds, move_set, count, uniform)
                        if block != NONE:
                            rows[block, VISITS] += 1.0
                            met(rule, rows, block, pick)
                            length = _noted(trail, row, length, NONE, block, role)
                    elif block != NONE and has_room:
                        if not is_open:
                            old, block = block, sizes[ROWS]
                            sizes[ROWS] += own + count
                            rows[block, VISITS], rows[block, MOVES] = rows[old, VISITS], count
                            opened(rule, rows, old, block)
                            rows[old, MOVES] = -np.float64(block)
                            if column >= 0:
                                keep_key(decisions, key, block)
                        first, learns = block + own, walkers.learners[row] == role
                        if led != NONE:
                            arm = first + pick
                            probability, share = forced(rule, rows, arm, first, count, learns)
                        elif next_joint != NONE:
                            arm, probability, share = first + next_joint % count, 1.0, 1.0
                            next_joint //= count
                            visit(rows, arm, UNKNOWN)
                        else:
                            arm, probability, share = choose(
                                rule, rows, block, first, count, uniform, learns
                            )
                        if depth < path_steps:
                            proposed = 0.0 if role == observer else -np.log(np.float64(count))
                            walkers.leads[row, 0] += proposed - np.log(probability)
                        rows[block, VISITS] += 1.0
                        rows[arm, CHOSEN] += 1.0
                        chances[row, length, 0], chances[row, length, 1] = probability, share
                        length = _noted(trail, row, length, arm, block, role)
                        idle, has_chosen, pick = 0, True, arm - first
                    if column < 0 and block != NONE:
                        heads[node, at + DECISION] = block + 1
                if pick == NONE:
                    pick = drawn_pick(set_rows, bounds, move_set, count, uniform)
                picks[row, role] = pick
                number = number * count + pick
            if outside and not plays_on and not has_chosen:
                state = STANDS
                break
            block = heads[node, BLOCK]
            if block != NONE:
                place = np.uint64(block + number)
                child = np.int64(children[place])
            else:
                place = joint_key(heads, picks, node, row)
                child = child_in_table(joint_keys, joint_table, place)
            if child == 0:
                walkers.joints[row] = place
                state = LEAVES if is_full or (outside and not plays_on) else ASKS
            elif carried:
                node = np.int64(edge_nodes[child - 1])
                for column in range(carried):
                    if order.combine == ADDED:
                        keys[row, column] += edge_words[child - 1, column]
                    else:
                        keys[row, column] = mixed(keys[row, column], edge_words[child - 1, column])
            else:
                node = child - 1
            if child != 0 and outside and not plays_on and heads[node, END] == NONE:
                state = STANDS
        walkers.states[row], walkers.nodes[row] = state, node
        walkers.roots[row], walkers.tags[row] = root, tag
        walkers.outside[row], walkers.lengths[row], walkers.idle[row] = outside, length, idle
    return begun


@bare
def learn_ends(  # type: ignore[no-untyped-def]
    decisions: Decisions,
    walkers: Simulations,
    order: SearchOrder,
    rule,
    ended: Indices,
    goals: Reals,
) -> None:
    """Back up the values of simulations that have left the graph. goals: (ended, roles)"""
    rows, trail, chances = decisions.rows, walkers.trail, walkers.chances
    for i in range(len(ended)):
        row = ended[i]
        length, learner = walkers.lengths[row], walkers.learners[row]
        weight = sampling_weight(walkers, order, row)
        learn(rule, rows, trail, chances, row, length, goals, i, learner, weight)
        if len(order.strata):
            value = goals[i, order.observer]
            add_stratum(order, trail, row, length, walkers.roots[row], headers(rule), value)
        walkers.states[row] = FREE


@step
def _noted(
    trail: NDArray[np.int32], row: int, length: np.int64, arm: int, block: np.int64, role: int
) -> np.int64:
    """The length of a path with one more decision."""
    trail[row, length, ARM] = arm
    trail[row, length, OWNER] = block
    trail[row, length, ROLE] = role
    return length + 1


@step
def _begin_sampling(
    walkers: Simulations, order: SearchOrder, row: int, begun: int, word: np.uint64
) -> np.uint64:
    """Draw who learns in a simulation, and whether it is led; the last word of the generator."""
    walkers.learners[row] = order.learning[(order.turn + begun) % len(order.learning)]
    walkers.led[row], walkers.depths[row] = NONE, 0
    walkers.leads[row, 0] = walkers.leads[row, 1] = 0.0
    if len(order.path_bounds):
        word = next_word(word)
        if uniform_of(word) < order.led_share:
            word = next_word(word)
            walkers.led[row] = by_weight(order.path_bounds, uniform_of(word))
    return word


@step
def sampling_weight(walkers: Simulations, order: SearchOrder, row: int) -> float:
    """The inverse of how much more often a simulation is made than without leading.

    Lisy, Lanctot & Bowling (2015), section 4.1: delta w(h) / s(h) + 1 - delta.
    """
    if len(order.path_bounds) == 0:
        return 1.0
    factor = 1.0 - order.led_share
    if walkers.leads[row, 1] != 0.0:
        factor += order.led_share * np.exp(walkers.leads[row, 0] - order.log_total)
    return 1.0 / factor if factor > 0.0 else 0.0
