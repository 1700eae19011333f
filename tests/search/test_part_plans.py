"""Plans and numbers of independent parts, against search through the whole game."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from fogspiel.core.budget import Budget
from fogspiel.core.findings import LimitError
from fogspiel.core.terms import MoveId, RoleId
from fogspiel.games.families.nim import rules as nim_rules
from fogspiel.games.load import load
from fogspiel.machine.analysis.independent_parts import parts_of
from fogspiel.machine.protocol import Machine, State
from fogspiel.search.parts import graphs, subset_plans
from fogspiel.search.parts.impartial import impartial_sum
from fogspiel.search.parts.plans import plan_by_parts
from fogspiel.search.parts.subset_plans import plan_in_subset
from part_games import (
    DIALS,
    LAMPS,
    ONE_DIAL_MATTERS,
    ROWS,
    TWO_BOARDS,
    counting,
    machine_of,
)

ALONE = RoleId(0)
ENOUGH = Budget(simulations=100_000)

SLOW_DIALS = DIALS.replace("(<= terminal open_left open_right)\n", "").replace(
    "(step 6)", "(step 7)"
)
SLOW_DIALS += "(then 6 7)"
"""The same, but the game lasts seven steps whatever happens: two must be wasted."""

FAR_DIALS = DIALS.replace("(step 6)", "(step 4)")
"""Four steps are not enough for both."""

TRAP = """
(role a) (init (x 0)) (init (y 0))
(legal a (bump x)) (legal a (bump y))
(<= (next (x 1)) (does a (bump x)) (true (x 0)))
(<= (next (x 2)) (does a (bump x)) (true (x 1)))
(<= (next (x 2)) (true (x 2)))
(<= (next (x ?n)) (true (x ?n)) (not (does a (bump x))))
(<= (next (y 1)) (does a (bump y)))
(<= (next (y ?n)) (true (y ?n)) (not (does a (bump y))))
(<= terminal (true (x 1)) (true (y 0)))
(<= terminal (true (x 2)))
(<= terminal (true (step 5)))
(<= (goal a 100) (true (x 2)) (true (y 1)))
(<= (goal a 0) (not (true (x 2))))
(<= (goal a 0) (not (true (y 1))))
""" + counting(5)
"""Bumping x before y loses at once: not every order of a plan will do."""


def exact(machine: Machine) -> int:
    """The best goal of one player, by looking at everything."""

    @cache
    def value(key: bytes) -> int:
        state = np.frombuffer(key, np.uint64).copy()
        if machine.terminal(state):
            return machine.goals(state)[0]
        children = machine.expand(state).states
        return max(value(child.tobytes()) for child in children)

    return value(machine.initial().tobytes())


def on_turn(machine: Machine, state: State) -> RoleId:
    """The role whose first move is not to wait."""
    moves = [machine.legal(state, RoleId(role))[0] for role in (0, 1)]
    return RoleId(int(machine.move_term(RoleId(0), moves[0]) == "noop"))


def wins(machine: Machine, state: State, role: int) -> bool:
    """Whether the role wins a game of turns, by looking at everything."""

    @cache
    def first_wins(key: bytes) -> bool:
        at = np.frombuffer(key, np.uint64).copy()
        if machine.terminal(at):
            return machine.goals(at)[0] > machine.goals(at)[1]
        found = [first_wins(child.tobytes()) for child in machine.expand(at).states]
        return any(found) if on_turn(machine, at) == 0 else all(found)

    return first_wins(state.tobytes()) == (role == 0)


@pytest.mark.parametrize(
    "text",
    [DIALS, SLOW_DIALS, FAR_DIALS, ONE_DIAL_MATTERS, LAMPS, TRAP],
    ids=["dials", "slow dials", "far dials", "one dial", "lamps", "trap"],
)
def test_plans_are_as_good_as_the_exact_value(text: str) -> None:
    machine = machine_of(text)
    plan = plan_by_parts(machine, ALONE, machine.initial(), ENOUGH)
    assert plan is not None
    assert plan.goal == exact(machine)
    state = machine.initial()
    for move in plan.moves:
        assert not machine.terminal(state)
        state = machine.step(state, [move])
    assert machine.terminal(state)
    assert machine.goals(state)[0] == plan.goal


def test_a_plan_of_some_parts_finds_the_row_of_lamps() -> None:
    machine = machine_of(LAMPS)
    parts = parts_of(machine)
    assert parts is not None
    plan = plan_in_subset(machine, parts, ALONE, machine.initial(), ENOUGH)
    assert plan is not None
    assert len(plan.moves) == 3
    assert len({int(parts.of_moves[0][move]) for move in plan.moves}) == 3


def test_no_plan_where_parts_are_of_no_help() -> None:
    for name in ("tic_tac_toe", "monty_hall"):
        machine = load(name).machine
        assert plan_by_parts(machine, ALONE, machine.initial(), ENOUGH) is None


def test_a_plan_needs_room() -> None:
    machine = machine_of(DIALS)
    assert plan_by_parts(machine, ALONE, machine.initial(), Budget(simulations=2)) is None


@pytest.mark.parametrize("sizes", [(1, 2), (2, 2), (1, 6), (3, 1, 2), (1, 3, 2, 2)])
def test_grundy_numbers_of_nim_are_sizes_and_tell_who_wins(sizes: tuple[int, ...]) -> None:
    machine = machine_of(nim_rules(*sizes))
    start = machine.initial()
    found = impartial_sum(machine, start, ENOUGH)
    assert found is not None
    # Bouton (1902): the position is lost for who is to move just if the sizes' nim-sum is 0.
    assert found.number(start) == int(np.bitwise_xor.reduce(sizes))
    assert wins(machine, start, 0) == (found.number(start) != 0)


def test_winning_moves_of_kayles_are_those_that_win() -> None:
    machine = machine_of(ROWS)
    start = machine.initial()
    found = impartial_sum(machine, start, ENOUGH)
    assert found is not None
    # Kayles has the numbers 0, 1, 2, 3 for rows of 0 to 3 pins (Guy & Smith 1956, Winning Ways).
    assert found.number(start) == 3 ^ 2
    pending, seen = [start], set()
    while pending:
        state = pending.pop()
        if state.tobytes() in seen or machine.terminal(state):
            continue
        seen.add(state.tobytes())
        children = machine.expand(state)
        pending.extend(children.states)
        role = on_turn(machine, state)
        good = {
            MoveId(int(joint[role]))
            for joint, child in zip(children.joints, children.states, strict=True)
            if wins(machine, child, int(role))
        }
        assert set(found.winning(state, role)) == good
    assert len(seen) > 20


def test_only_the_order_of_goals_matters_to_a_sum() -> None:
    machine = machine_of(nim_rules(1, 2).replace("(goal ?player 0)", "(goal ?player 50)"))
    assert impartial_sum(machine, machine.initial(), ENOUGH) is not None


LAST_LOSES = nim_rules(1, 2).replace("(goal ?player 0)", "(goal ?player 101)")
"""The role to move in the end gets more than the other."""
FIRST_IS_BOUND = nim_rules(2, 2).replace(
    "(less ?n ?m))\n(<= (legal ?player noop)",
    "(less ?n ?m) (may ?player ?n))\n(may second 0)(may second 1)(may first 0)\n"
    "(<= (legal ?player noop)",
)
"""The first player must empty heaps, the second need not: the moves are not the same."""


@pytest.mark.parametrize(
    "text",
    [LAST_LOSES, FIRST_IS_BOUND, TWO_BOARDS, DIALS],
    ids=["misere", "partisan", "boards", "alone"],
)
def test_what_is_no_impartial_sum_is_refused(text: str) -> None:
    machine = machine_of(text)
    assert impartial_sum(machine, machine.initial(), ENOUGH) is None


def test_a_layer_of_states_is_followed_in_pieces_between_which_the_clock_is_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # In breakthrough each layer of a part is some ten times the one before.
    machine = load("breakthrough_6").machine
    parts = parts_of(machine)
    assert parts is not None
    sizes: list[int] = []

    def steps(*arguments: Any) -> Any:
        sizes.append(len(arguments[3]))
        return made(*arguments)

    made = graphs._steps
    monkeypatch.setattr(graphs, "_steps", steps)
    with pytest.raises(LimitError, match="too many states"):
        graphs.part_graph(machine, parts, 0, machine.initial(), (ALONE,), ENOUGH)
    assert sum(sizes) > 10_000
    for piece, size in enumerate(sizes):
        assert size <= max(graphs.FEWEST, sum(sizes[:piece]) // 2)


def test_no_plan_is_looked_for_once_time_is_over() -> None:
    machine = load("breakthrough_6").machine
    parts = parts_of(machine)
    assert parts is not None
    late = Budget.of(seconds=0.0)
    with pytest.raises(LimitError):
        graphs.part_graph(machine, parts, 0, machine.initial(), (ALONE,), late)
    dials = machine_of(ONE_DIAL_MATTERS)
    found = parts_of(dials)
    assert found is not None
    assert plan_in_subset(dials, found, ALONE, dials.initial(), ENOUGH) is not None
    assert plan_in_subset(dials, found, ALONE, dials.initial(), late) is None


def test_a_plan_in_some_parts_is_the_same_however_many_states_are_followed_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    machine = machine_of(ONE_DIAL_MATTERS)
    parts = parts_of(machine)
    assert parts is not None
    whole = plan_in_subset(machine, parts, ALONE, machine.initial(), ENOUGH)
    monkeypatch.setattr(subset_plans, "AT_ONCE", 2)
    assert plan_in_subset(machine, parts, ALONE, machine.initial(), ENOUGH) == whole
