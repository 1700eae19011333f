"""Rules to clauses: each bent rule gets its one meaning, and nothing below has to know."""

from __future__ import annotations

import pytest

from code_examples import FRAME
from fogspiel.core.findings import LimitError, RulesError
from fogspiel.core.limits import ReadLimits
from fogspiel.core.source import Source
from fogspiel.core.terms import format_term
from fogspiel.rules.clauses import Clause, Condition, Pattern, Program, TermComparison, Var
from fogspiel.rules.gdl.normalise.normalise import normalise
from fogspiel.rules.gdl.read import read_description


def program_of(text: str) -> Program:
    description, _ = read_description(Source("rules.kif", text))
    return normalise(description)


def shown(pattern: Pattern) -> str:
    if isinstance(pattern, Var):
        return f"?{pattern.name}"
    if isinstance(pattern, str):
        return pattern
    return f"({' '.join(map(shown, pattern))})"


def shown_condition(condition: Condition) -> str:
    if isinstance(condition, TermComparison):
        sign = "=" if condition.equal else "!="
        return f"{shown(condition.left)} {sign} {shown(condition.right)}"
    words = " ".join([condition.predicate, *map(shown, condition.arguments)])
    return ("not " if condition.negated else "") + words


def shown_clause(clause: Clause) -> str:
    head = shown_condition(clause.head)
    return f"{head} :- {', '.join(map(shown_condition, clause.body))}" if clause.body else head


def clauses_of(rules: str, word: str = "") -> list[str]:
    """The clauses that rules add to a small sound game; only those with the word."""
    frame = set(map(shown_clause, program_of(FRAME).clauses))
    added = (shown_clause(clause) for clause in program_of(FRAME + rules).clauses)
    return [clause for clause in added if clause not in frame and word in clause]


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        (
            "(<= (legal white go) (or (true a) (and (true b) (not (true c)))))",
            ["legal white go :- true a", "legal white go :- true b, not true c"],
        ),
        (
            "(<= (legal white go) (not (or (true a) (not (true b)))))",
            ["legal white go :- not true a, true b"],
        ),
        (
            "(<= (legal white go) (not (and (true a) (true b))))",
            ["legal white go :- not true a", "legal white go :- not true b"],
        ),
        ("(<= (legal white go) (or))", []),
        (
            "(<= (legal ?r (go ?s)) (role ?r) (role ?s) (distinct ?r ?s))",
            ["legal ?r (go ?s) :- role ?r, role ?s, ?r != ?s"],
        ),
    ],
)
def test_connectives_become_alternatives(rules: str, expected: list[str]) -> None:
    assert clauses_of(rules) == expected


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        (
            "(<= (legal ?r go) (role ?r) (not (distinct ?r white)))",
            ["legal white go :- role white"],
        ),
        (
            "(<= (legal ?r ?m) (true (on ?r ?x)) (not (distinct ?m (lift ?x))))",
            ["legal ?r (lift ?x) :- true (on ?r ?x)"],
        ),
        ("(<= (legal white go) (not (distinct a b)))", []),
        ("(<= (legal white go) (true (on ?x)) (not (distinct ?x (f ?x))))", []),
    ],
)
def test_equations_are_solved(rules: str, expected: list[str]) -> None:
    assert clauses_of(rules) == expected


MEANINGS: dict[str, tuple[str, str, list[str]]] = {
    "a negation with a variable of its own says that there is none": (
        "(<= (legal ?r (mark ?x)) (role ?r) (cell ?x) (not (true (at ?x ?y))))\n(cell 1)",
        "exists",
        [
            "legal ?r (mark ?x) :- role ?r, cell ?x, not exists_1_true ?x",
            "exists_1_true ?V0 :- true (at ?V0 ?V1)",
        ],
    ),
    "equal negations share a relation and taken names are left alone": (
        "(<= (legal white a) (not (true (at ?x ?x))))\n"
        "(<= (legal white b) (not (true (at ?y ?y))))\n"
        "(<= (legal white c) exists_1_true)\n(<= exists_1_true (true d))",
        "at",
        ["exists_1_true_2 :- true (at ?V0 ?V0)"],
    ),
    "an unbound role is any role": (
        "(<= (legal ?r go) (true (step 1)))\n(<= (sees ?r now) (true (step 1)))",
        "",
        ["legal ?r go :- role ?r, true (step 1)", "sees ?r now :- role ?r, true (step 1)"],
    ),
    "an unbound variable ranges over the names of its sort": (
        "(<= (other ?x ?y) (distinct ?x ?y))\n(cell a)\n(cell b)\n"
        "(<= (legal white (go ?x ?y)) (cell ?x) (cell ?y) (other ?x ?y))",
        "sort",
        ["other ?x ?y :- sort_1 ?x, sort_1 ?y, ?x != ?y", "sort_1 a", "sort_1 b"],
    ),
    "what no match depends on is left out": (
        "(spare 1)\n(<= (rest ?x) (spare ?x))\n(base (step 1))\n(same ?x ?x)",
        "",
        [],
    ),
    "a relation that denies itself for other arguments is split": (
        "(<= (goal white 0) (not (goal white 100)))",
        "",
        ["goal white 0 :- not goal_part_1 white 100", "goal_part_1 white 100"],
    ),
    "a chain of denials is split into a chain of relations": (
        "(<= (legal white (go ?x)) (phase ?x))\n(<= (phase 1) (not (true a)))\n"
        "(<= (phase 2) (not (phase 1)))\n(<= (phase 3) (not (phase 1)) (not (phase 2)))",
        "part_",
        [
            "phase 2 :- not phase_part_1 1",
            "phase 3 :- not phase_part_1 1, not phase_part_2 2",
            "phase_part_2 2 :- not phase_part_1 1",
            "phase_part_1 1 :- not true a",
        ],
    ),
    "nothing is true yet when the first state is made": (
        "(<= (init (step 0)) (not (true (step 1))))\n(<= (init (step 3)) (true (step 1)))",
        "",
        ["init (step 0)"],
    ),
    "a keyword with other arguments is a relation of its own": (
        "(next 1 2)\n(<= (legal white (go ?y)) (next 1 ?y))",
        "",
        ["next_of_2 1 2", "legal white (go ?y) :- next_of_2 1 ?y"],
    ),
}
"""Rules, a word of the clauses to look at, and these clauses."""


@pytest.mark.parametrize("meaning", MEANINGS)
def test_a_bent_rule_gets_its_one_meaning(meaning: str) -> None:
    rules, word, expected = MEANINGS[meaning]
    assert clauses_of(rules, word) == expected


def test_moves_are_not_made_yet_when_a_state_is_judged() -> None:
    rules = (
        "(<= (legal white go) (not moved))\n(<= moved (does white wait))\n"
        "(<= moved (not (does white wait)) (true (step 1)))\n(<= (next (step 1)) moved)"
    )
    assert clauses_of(rules, "before_moves") == [
        "legal white go :- not moved_before_moves",
        "moved_before_moves :- true (step 1)",
    ]
    assert "moved :- does white wait" in clauses_of(rules)


def test_roles_keep_their_order_and_random_is_chance() -> None:
    program = program_of("(role o) (role random) (role x) (legal o a) terminal")
    assert program.roles == ("o", "random", "x")
    assert program.chance_role == "random"
    assert not program.has_percepts


def test_roles_may_follow_from_facts() -> None:
    program = program_of(
        "(seat b) (seat a) (seat c) (out c) (<= (role ?x) (seat ?x) (not (out ?x)) (distinct ?x b))"
    )
    assert program.roles == ("a",)


def test_percepts_are_noticed() -> None:
    assert program_of(FRAME + "(<= (sees white x) (does white wait))").has_percepts


def test_too_many_clauses_are_refused_before_they_are_made() -> None:
    wide = " ".join(f"(or (true a{n}) (true b{n}))" for n in range(60))
    with pytest.raises(RulesError) as raised:
        program_of(FRAME + f"(<= (legal white go) {wide})")
    assert raised.value.findings[0].code == "GDL008"
    many = "(<= (legal white go) (or (true a) (true b)))\n" * 10
    description, _ = read_description(Source("rules.kif", FRAME + many))
    with pytest.raises(LimitError):
        normalise(description, ReadLimits(clauses=20))


def test_terms_print_as_in_the_rules() -> None:
    assert format_term(("cell", "1", ("pos", "2"))) == "(cell 1 (pos 2))"
