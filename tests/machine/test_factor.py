"""Covers: factoring a disjunction of conjunctions keeps its truth table."""

from __future__ import annotations

import numpy as np
from gate_values import PLAYED, SOURCES, small_pool, value
from hypothesis import given, settings
from hypothesis import strategies as st

from fogspiel.machine.compiled.compile.factor import SUBSET_CUBES, Cubes, add_cube, cover
from fogspiel.machine.compiled.compile.gates import FALSE, NODES, PLAIN, TERMS, TRUE, GateStore

cubes = st.lists(st.integers(0, 2 * SOURCES - 1), min_size=1, max_size=5)


def cover_of(pool: GateStore, written: list[list[int]]) -> int:
    """The literal of a disjunction of conjunctions, as `assemble` asks for it."""
    total = sum(map(len, written)) + 1
    buffers = Cubes(
        literals=np.zeros(total, np.int32),
        starts=np.zeros(len(written) + 1, np.int64),
        ends=np.zeros(len(written) + 1, np.int64),
        order=np.zeros(len(written) + 1, np.int64),
        place=np.zeros(2 * len(pool.segments), np.int64),
    )
    count = 0
    for cube in written:
        start = int(buffers.ends[count - 1]) if count else 0
        buffers.literals[start : start + len(cube)] = cube
        count = add_cube(buffers, count, start + len(cube))
    return cover(pool, buffers, count, PLAIN)


def assert_same(written: list[list[int]]) -> None:
    pool = small_pool()
    made = cover_of(pool, written)
    for sources in PLAYED:
        expected = any(all(value(pool, x, sources) for x in cube) for cube in written)
        assert value(pool, made, sources) == expected
    assert int(pool.used[TERMS]) == 0


@settings(max_examples=40)
@given(st.lists(cubes, max_size=12))
def test_a_cover_holds_where_one_of_its_cubes_does(written: list[list[int]]) -> None:
    assert_same(written)


@settings(max_examples=20)
@given(st.lists(cubes, min_size=SUBSET_CUBES + 1, max_size=SUBSET_CUBES + 30))
def test_so_does_one_of_many_cubes(written: list[list[int]]) -> None:
    assert_same(written)


@settings(max_examples=20)
@given(st.lists(cubes, max_size=6), st.lists(cubes, max_size=6), st.integers(2, 7))
def test_common_literals_are_divided_out_at_every_depth(
    left: list[list[int]], right: list[list[int]], common: int
) -> None:
    # Nested: common & (8 & left | right).
    assert_same([[common, 8, *cube] for cube in left] + [[common, *cube] for cube in right])


def test_no_cube_is_false_and_an_empty_one_true() -> None:
    pool = small_pool()
    assert cover_of(pool, []) == FALSE
    assert cover_of(pool, [[4, 5]]) == FALSE
    assert cover_of(pool, [[4, 6], [TRUE]]) == TRUE


def test_a_cube_that_contains_another_is_dropped() -> None:
    pool = small_pool()
    assert cover_of(pool, [[4, 6], [4], [4, 7, 2]]) == 4


def test_a_shared_literal_is_read_once() -> None:
    # a b | a c | a d = a (b | c | d): one gate for the bracket, one for the whole.
    pool = small_pool()
    before = int(pool.used[NODES])
    cover_of(pool, [[2, 4], [2, 6], [2, 9]])
    assert int(pool.used[NODES]) - before == 2
