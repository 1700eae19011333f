"""The reader of aspif on texts written by hand from its definition."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fogspiel.ground.aspif import GroundRules, parse_aspif

# {1}.  2 :- 1, not 3.  {3} :- 2.  4.  with the names of 1, 2 and 4.
SMALL = b"""\
asp 1 0 0
1 1 1 1 0 0
1 0 1 2 0 2 1 -3
1 1 1 3 0 1 2
1 0 1 4 0 0
4 7 true(0) 1 1
4 8 terminal 1 2
4 12 role(f1(10)) 0
0
"""


def rows(rules: GroundRules) -> list[tuple[bool, int, list[int]]]:
    """(choice, head, body) of each rule."""
    return [
        (
            bool(rules.choices[i]),
            int(rules.heads[i]),
            rules.literals[rules.offsets[i] : rules.offsets[i + 1]].tolist(),
        )
        for i in range(len(rules.heads))
    ]


def test_rules_choices_and_negations_are_read() -> None:
    rules, _ = parse_aspif(SMALL)
    assert rows(rules) == [(True, 1, []), (False, 2, [1, -3]), (True, 3, [2]), (False, 4, [])]
    assert rules.atoms == 4


def test_shown_atoms_have_their_number_or_hold_always() -> None:
    _, shown = parse_aspif(SMALL)
    assert shown == {"true(0)": 1, "terminal": 2, "role(f1(10))": 0}


def test_a_program_without_rules_has_no_atoms() -> None:
    rules, shown = parse_aspif(b"asp 1 0 0\n4 7 role(0) 0\n0\n")
    assert (rules.atoms, rows(rules), shown) == (0, [], {"role(0)": 0})
    assert rules.offsets.tolist() == [0]


def test_an_atom_that_occurs_only_in_a_body_is_counted() -> None:
    rules, _ = parse_aspif(b"asp 1 0 0\n1 0 1 2 0 1 -7\n0\n")
    assert rules.atoms == 7


atoms = st.integers(1, 2**31 - 1)
bodies = st.lists(st.tuples(atoms, st.booleans()).map(lambda a: a[0] if a[1] else -a[0]))


@given(st.lists(st.tuples(st.booleans(), atoms, bodies), max_size=20))
def test_any_rules_are_read_back(written: list[tuple[bool, int, list[int]]]) -> None:
    lines = [
        f"1 {int(choice)} 1 {head} 0 {' '.join(map(str, [len(body), *body]))}"
        for choice, head, body in written
    ]
    rules, shown = parse_aspif("\n".join(["asp 1 0 0", *lines, "4 1 q 1 5", "0", ""]).encode())
    assert rows(rules) == written
    assert shown == {"q": 5}
