"""Gates against truth tables: every simplification keeps the value."""

from __future__ import annotations

import numpy as np
from gate_values import ALL, FIRST_MOVE, MOVE_COUNTS, PLAYED, SOURCES, small_pool, value
from hypothesis import given
from hypothesis import strategies as st

from fogspiel.machine.compiled.compile.gates import (
    FALSE,
    NODES,
    PLAIN,
    TRUE,
    GateStore,
    add_source,
    make_and,
    make_or,
    sort_range,
)

literals = st.lists(st.integers(0, 2 * SOURCES - 1), max_size=8)
move_literals = st.lists(st.integers(2 * FIRST_MOVE, 2 * SOURCES - 1), min_size=3, max_size=8)


def conjunction(pool: GateStore, inputs: list[int], segment: int = PLAIN) -> int:
    return make_and(pool, np.array([*inputs, -1], np.int32), 0, len(inputs), segment)


def disjunction(pool: GateStore, inputs: list[int], segment: int = PLAIN) -> int:
    return make_or(pool, np.array([*inputs, -1], np.int32), 0, len(inputs), segment)


@given(literals)
def test_a_conjunction_holds_where_all_of_its_literals_do(inputs: list[int]) -> None:
    pool = small_pool()
    made = conjunction(pool, inputs)
    for sources in ALL[::3]:
        assert value(pool, made, sources) == all(value(pool, x, sources) for x in inputs)


@given(st.one_of(literals, move_literals))
def test_a_disjunction_holds_where_one_of_its_literals_does(inputs: list[int]) -> None:
    pool = small_pool()
    made = disjunction(pool, inputs)
    for sources in PLAYED:
        assert value(pool, made, sources) == any(value(pool, x, sources) for x in inputs)


@given(literals)
def test_without_most_moves_of_a_role_a_disjunction_is_exact_whatever_is_played(
    inputs: list[int],
) -> None:
    """The exactly-one-move complement is used for more than half of a role's moves only."""
    for role, count in enumerate(MOVE_COUNTS):
        first = FIRST_MOVE + sum(MOVE_COUNTS[:role])
        most = {2 * node for node in range(first, first + count // 2)}
        moves = {2 * node for node in range(first, first + count)}
        inputs = sorted({x for x in inputs if x not in moves or x in most})
    pool = small_pool()
    made = disjunction(pool, inputs)
    for sources in ALL[::3]:
        assert value(pool, made, sources) == any(value(pool, x, sources) for x in inputs)


def test_most_moves_of_a_role_become_the_negation_of_the_others() -> None:
    pool = small_pool()
    three_of_four = [2 * (FIRST_MOVE + i) for i in (0, 1, 3)]
    assert disjunction(pool, three_of_four) == 2 * (FIRST_MOVE + 2) + 1
    assert disjunction(pool, [2 * (FIRST_MOVE + i) for i in range(4)]) == TRUE


def test_constants_and_contradictions_need_no_gate() -> None:
    pool = small_pool()
    before = int(pool.used[NODES])
    assert conjunction(pool, []) == TRUE
    assert conjunction(pool, [TRUE, 4, 4]) == 4
    assert conjunction(pool, [4, FALSE]) == FALSE
    assert conjunction(pool, [4, 6, 5]) == FALSE
    assert disjunction(pool, []) == FALSE
    assert disjunction(pool, [FALSE, 5]) == 5
    assert disjunction(pool, [4, 5]) == TRUE
    assert int(pool.used[NODES]) == before


@given(literals)
def test_equal_gates_are_made_once(inputs: list[int]) -> None:
    pool = small_pool()
    made = conjunction(pool, inputs)
    nodes = int(pool.used[NODES])
    assert conjunction(pool, [*reversed(inputs), *inputs]) == made
    assert int(pool.used[NODES]) == nodes


def test_a_gate_belongs_to_a_loop_only_if_an_input_does() -> None:
    pool = small_pool()
    variable = add_source(pool, 0)
    outside = conjunction(pool, [2, 4], segment=0)
    inside = conjunction(pool, [2, variable], segment=0)
    above = conjunction(pool, [6, inside], segment=0)
    after = conjunction(pool, [8, inside])
    owners = [int(pool.segments[literal >> 1]) for literal in (outside, inside, above, after)]
    assert owners == [PLAIN, 0, 0, PLAIN]


@given(st.lists(st.integers(-(2**31), 2**31 - 1), max_size=60), st.data())
def test_sorting_a_range_leaves_the_rest_alone(numbers: list[int], data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(numbers)))
    end = data.draw(st.integers(first, len(numbers)))
    array = np.array([*numbers, 0], np.int32)
    sort_range(array, first, end)
    assert array[:-1].tolist() == numbers[:first] + sorted(numbers[first:end]) + numbers[end:]
