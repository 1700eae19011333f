"""The reader of the grounder's output on numbers written by hand."""

from __future__ import annotations

from array import array

from hypothesis import given
from hypothesis import strategies as st

from fogspiel.ground.gringo import GroundRules, count_rules, parse_output
from fogspiel.ground.worker import END


def written(*numbers: int, names: str = "") -> bytes:
    """Output as the worker writes it."""
    return array("i", [*numbers, END]).tobytes() + names.encode()


# {1}.  2 :- 1, not 3.  {3} :- 2.  4.  with the names of 1, 2 and 4.
SMALL = written(
    *(1, 1, 0), *(0, 2, 2, 1, -3), *(1, 3, 1, 2), *(0, 4, 0),
    names="1 true(0)\n2 terminal\n0 role(f1(10))\n",
)  # fmt: skip


def rows(rules: GroundRules) -> list[tuple[bool, int, list[int]]]:
    """Rules as (choice, head, body)."""
    return [
        (
            bool(rules.choices[i]),
            int(rules.heads[i]),
            rules.literals[rules.offsets[i] : rules.offsets[i + 1]].tolist(),
        )
        for i in range(len(rules.heads))
    ]


def test_rules_choices_and_negations_are_read() -> None:
    rules, _ = parse_output(SMALL)
    assert rows(rules) == [(True, 1, []), (False, 2, [1, -3]), (True, 3, [2]), (False, 4, [])]
    assert rules.atoms == 4


def test_shown_atoms_have_their_number_or_hold_always() -> None:
    _, shown = parse_output(SMALL)
    assert shown == {"true(0)": 1, "terminal": 2, "role(f1(10))": 0}


def test_a_program_without_rules_has_no_atoms() -> None:
    rules, shown = parse_output(written(names="0 role(0)\n"))
    assert (rules.atoms, rows(rules), shown) == (0, [], {"role(0)": 0})
    assert rules.offsets.tolist() == [0]


def test_an_atom_that_occurs_only_in_a_body_is_counted() -> None:
    rules, _ = parse_output(written(0, 2, 1, -7))
    assert rules.atoms == 7


def test_rules_of_output_that_was_cut_off_are_counted_as_far_as_they_are_whole() -> None:
    numbers = SMALL[: -len("1 true(0)\n2 terminal\n0 role(f1(10))\n")]
    assert [count_rules(numbers[:size]) for size in (0, 11, 12, 31, 32, 47, 48)] == [
        0, 0, 1, 1, 2, 2, 3,
    ]  # fmt: skip


atoms = st.integers(1, 2**31 - 1)
bodies = st.lists(st.tuples(atoms, st.booleans()).map(lambda a: a[0] if a[1] else -a[0]))


@given(st.lists(st.tuples(st.booleans(), atoms, bodies), max_size=20))
def test_any_rules_are_read_back(rules: list[tuple[bool, int, list[int]]]) -> None:
    numbers = [n for choice, head, body in rules for n in (int(choice), head, len(body), *body)]
    read, shown = parse_output(written(*numbers, names="5 q\n"))
    assert rows(read) == rules
    assert shown == {"q": 5}
