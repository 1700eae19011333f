"""Memory of a search: it stays below its limit, and pruning keeps what can still be reached."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np
import pytest
from searches import assert_all_came_back, blocks, searched

from fogspiel.core.budget import Budget
from fogspiel.core.kernels.words import NONE
from fogspiel.core.terms import RoleId
from fogspiel.machine.knowledge import key_after, keys_after, observation_keys
from fogspiel.search.mcts.algorithms import (
    ISMCTS,
    NORNS,
    OPPONENT_TYPES,
    SHODAN,
    SIMULTANEOUS_MATCHING,
    SIMULTANEOUS_UCT,
    SINGLE_OBSERVER_ISMCTS,
    UCT,
    Algorithm,
)
from fogspiel.search.mcts.kernels.decisions import MOVES, ROWS
from fogspiel.search.mcts.kernels.graph import (
    BLOCK,
    COUNT,
    DECISION,
    END,
    HEAD,
    NUMBERS,
    SET,
)
from fogspiel.search.mcts.kernels.simulations import ADDED, BY_NODE
from fogspiel.search.mcts.roots import Roots, first_roots
from fogspiel.search.mcts.search import Search
from fogspiel.search.mcts.statistics import root_statistics

CASES = {
    "state": (UCT, "tic_tac_toe"),
    "state, joint moves in a table": (SIMULTANEOUS_UCT, "battleship_4"),
    "state, mixed": (SIMULTANEOUS_MATCHING, "goofspiel_4"),
    "knowledge": (ISMCTS, "latent_tic_tac_toe"),
    "knowledge, joint moves in a table": (SHODAN, "battleship_4"),
    "observer": (SINGLE_OBSERVER_ISMCTS, "latent_tic_tac_toe"),
    "past": (NORNS, "number_guessing_8"),
    "past, joint moves in a table": (NORNS, "battleship_4"),
    "memory": (OPPONENT_TYPES, "leduc_poker"),
    "memories": (Algorithm(keys="memories", rule=UCT.rule), "leduc_poker"),
}  # fmt: skip
EVERY = pytest.mark.parametrize("name", CASES)

Known = dict[tuple[bytes, bytes], bytes]


def test_with_little_memory_the_tree_stops_growing_and_the_search_goes_on() -> None:
    for algorithm, game in CASES.values():
        limit = 1 << 23
        search = searched(game, algorithm, 60_000, max_bytes=limit)
        assert search.bytes <= limit
        size, nodes = search.bytes, search.tree.node_count
        search.run(first_roots(search.machine), Budget.of(simulations=10_000))
        assert_all_came_back(search)
        if search.tree.is_full(inf):
            assert (search.bytes, search.tree.node_count) == (size, nodes)


def test_where_memory_is_full_decisions_that_were_met_once_get_no_moves() -> None:
    # 256 moves each in mastermind.
    search = searched("mastermind", NORNS, 5_000)
    assert any(block[0, MOVES] == 0.0 for block in blocks(search))
    sizes = search.tree.decisions.sizes.tolist()
    search.tree.max_bytes = 0
    search.run(first_roots(search.machine), Budget.of(simulations=20_000))
    assert search.tree.decisions.sizes.tolist() == sizes


@pytest.mark.parametrize("name", ["state", "knowledge", "past", "memory"])
def test_a_megabyte_is_enough_to_learn_something(name: str) -> None:
    algorithm, game = CASES[name]
    limit = 1 << 20
    search = searched(game, algorithm, 5_000, max_bytes=limit)
    assert search.tree.node_count > 200
    assert search.bytes <= limit


def test_a_full_tree_begins_anew_where_it_has_no_room_for_the_next_turn() -> None:
    limit, turns = 1 << 20, 60
    search = searched("connect_four", UCT, 4_000, max_bytes=limit)
    trees = [search.tree]
    for turn in range(turns):
        roots = after(search, 6 + turn % 20, seed=turn)
        search.run(roots, Budget.of(simulations=1_500))
        if search.tree is not trees[-1]:
            trees.append(search.tree)
        # The root was met, and its moves were tried.
        (found,) = root_statistics(search, roots, to_move(search, roots))
        assert found[1].visits.sum() > 0.0
        assert search.bytes <= limit
    assert 1 < len(trees) < turns


def test_a_turn_whose_states_are_partly_new_keeps_what_was_learnt_of_the_others() -> None:
    search = searched("tic_tac_toe", UCT, 5_000)
    known, new = after(search, 1, seed=1), after(search, 8, seed=3)
    search.tree.max_bytes = search.bytes + search.bytes // 2
    before = below(search, known)
    assert (search.tree.known_nodes(new.known_to(()), new.states) == NONE).all()
    both = replace(
        known,
        states=np.vstack([known.states, new.states]),
        knowledge=np.vstack([known.knowledge, new.knowledge]),
        weights=np.ones(2),
    )
    search.prune(both, Budget.of(simulations=1))
    assert below(search, known) == before


def to_move(search: Search, roots: Roots) -> RoleId:
    """The role that has a choice in the only root."""
    machine = search.machine
    (role,) = (r for r in range(2) if len(machine.legal(roots.states[0], RoleId(r))) > 1)
    return RoleId(role)


def after(search: Search, steps: int, seed: int) -> Roots:
    """A state that follows some steps of random play, or the last one before the end."""
    machine, rng, roots = search.machine, np.random.default_rng(seed), first_roots(search.machine)
    for _ in range(steps):
        state = roots.states[0]
        joint = [rng.choice(machine.legal(state, RoleId(r))) for r in range(len(machine.roles))]
        joints, states = np.array([joint], np.int32), roots.states
        following = machine.step_batch(states, joints)
        if machine.terminal(following[0]):
            break
        known = roots.knowledge.copy()
        for role in range(known.shape[1]):
            word = observation_keys(machine, RoleId(role), states, joints)
            if search.tree.keys.combine == ADDED:
                known[:, role] += word
            else:
                known[:, role] = keys_after(known[:, role].copy(), word)
        roots = replace(roots, states=following, knowledge=known)
    return roots


def children_in_table(search: Search) -> dict[int, list[int]]:
    """The children of nodes with many joint moves."""
    owners: dict[int, list[int]] = {}
    table = search.tree.graph.joint_table
    for entry in table[table >= 0].tolist():
        owners.setdefault(entry >> 32, []).append(entry & 0xFFFFFFFF)
    return owners


def children_of(search: Search, node: int, owners: dict[int, list[int]]) -> list[int]:
    """One more than the nodes or edges that joint moves of a node lead to; 0 for none."""
    graph = search.tree.graph
    start = int(graph.heads[node, BLOCK])
    if graph.heads[node, END] >= 0 or start < 0:
        return owners.get(node, [])
    counts = graph.heads[node, HEAD + COUNT :: NUMBERS]
    found: list[int] = graph.children[start : start + int(np.prod(counts))].tolist()
    return found


def reached(search: Search, roots: Roots) -> int:
    """The number of nodes that joint moves lead to."""
    graph, owners = search.tree.graph, children_in_table(search)
    stack = search.nodes_of(roots).tolist()
    found = set(stack)
    while stack:
        for child in children_of(search, stack.pop(), owners):
            if child:
                carried = search.tree.keys.carried
                node = int(graph.edge_nodes[child - 1]) if carried else child - 1
                if node not in found:
                    found.add(node)
                    stack.append(node)
    return len(found)


def below(search: Search, roots: Roots) -> Known:
    """The decisions at nodes that simulations from roots can come to, as bytes, by the node and by
    what simulations carry there."""
    tree = search.tree
    graph, decisions, columns, own = tree.graph, tree.decisions, tree.keys.columns, 0
    owners = children_in_table(search)
    carried = list(tree.keys.carried)
    pairs = [
        (int(node), known[carried])
        for node, known in zip(search.nodes_of(roots), roots.knowledge, strict=True)
    ]
    found: Known = {}
    while pairs:
        node, known = pairs.pop()
        key = graph.rows[node].tobytes(), known.tobytes()
        if key in found:
            continue
        found[key] = b""
        if graph.heads[node, END] >= 0:
            found[key] = graph.goals[graph.heads[node, END]].tobytes()
            continue
        counts = [int(graph.heads[node, HEAD + NUMBERS * r + COUNT]) for r in range(len(columns))]
        is_met = True
        for role, count in enumerate(counts):
            at = HEAD + NUMBERS * role
            row, column = int(graph.heads[node, at + DECISION]) - 1, int(columns[role])
            set_key = graph.set_keys[graph.heads[node, at + SET]]
            if column != BY_NODE:
                words = known[column] if column >= 0 else graph.rows[node, BY_NODE - 1 - column]
                row = int(tree.rows_of_keys(np.array([words ^ set_key]))[0])
            is_met &= row >= 0 or count == 1 or column < 0
            if row >= 0 and count > 1:
                moved = -int(decisions.rows[row, MOVES])
                row = moved if moved > 0 else row
                end = row + search.header_rows + int(decisions.rows[row, MOVES])
                found[key] += decisions.rows[row:end].tobytes()
                first = graph.set_rows[graph.heads[node, at + SET], 0]
                found[key] += graph.moves[first : first + count].tobytes()
                own += 1
        if not is_met:
            # Nothing was learnt beyond a decision that no simulation has met.
            continue
        children = children_of(search, node, owners)
        for child in children:
            if child == 0:
                continue
            if not carried:
                pairs.append((child - 1, known))
                continue
            words = graph.edge_words[child - 1]
            if tree.keys.combine == ADDED:
                following = known + words
            else:
                following = np.array(
                    [key_after(b, w) for b, w in zip(known, words, strict=True)], np.uint64
                )
            pairs.append((int(graph.edge_nodes[child - 1]), following))
    assert own > 0
    return found


def pruned_at(search: Search, roots: Roots) -> None:
    """Prune as if much memory were used."""
    tree, limit = search.tree, search.tree.max_bytes
    tree.max_bytes, tree.kept_bytes = tree.bytes + tree.bytes // 2, 0
    search.prune(roots, Budget.of(simulations=1))
    assert search.tree is tree
    tree.max_bytes = limit


@EVERY
def test_pruning_keeps_all_that_was_learnt_below_the_roots(name: str) -> None:
    algorithm, game = CASES[name]
    simulations = 4_000 if "table" in name else 20_000
    search = searched(game, algorithm, simulations)
    roots = after(search, 2, seed=1)
    search.run(roots, Budget.of(simulations=2_000))
    before, nodes, size = below(search, roots), reached(search, roots), search.bytes
    rows = int(search.tree.decisions.sizes[ROWS])
    pruned_at(search, roots)
    assert below(search, roots) == before
    # Nothing else is kept.
    assert search.tree.node_count == nodes == reached(search, roots)
    pruned_at(search, roots)
    assert below(search, roots) == before
    assert int(search.tree.decisions.sizes[ROWS]) < rows
    assert search.bytes < size


@EVERY
def test_a_search_goes_on_after_pruning(name: str) -> None:
    algorithm, game = CASES[name]
    search = searched(game, algorithm, 4_000)
    for steps in (1, 2):
        roots = after(search, steps, seed=2)
        pruned_at(search, roots)
        assert_all_came_back(search, some=False)
        assert search.run(roots, Budget.of(simulations=2_000)) == 2_000
        assert_all_came_back(search, some=False)
        assert reached(search, roots) <= search.tree.node_count


def test_without_time_a_search_begins_anew() -> None:
    search = searched("tic_tac_toe", UCT, 5_000)
    search.tree.max_bytes = search.bytes
    search.prune(first_roots(search.machine), Budget.of(seconds=1e-6, clock=lambda: 0.0))
    assert search.tree.node_count == 0
    assert search.run(first_roots(search.machine), Budget.of(simulations=100)) == 100


def test_a_search_that_takes_little_memory_is_not_pruned() -> None:
    search = searched("tic_tac_toe", UCT, 1_000)
    nodes = search.tree.node_count
    search.prune(after(search, 2, seed=1), Budget.of(simulations=1))
    assert search.tree.node_count == nodes
