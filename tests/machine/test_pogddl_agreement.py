"""The compiled machine plays POGDDL as the interpreted one does: bundled games and random ones."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest
from pogddl_agreement import walk_together
from pogddl_machines import POKER
from random_pogddl import random_game

from fogspiel.core.findings import LimitError, PlayError, errors_in
from fogspiel.core.source import Source
from fogspiel.core.terms import RoleId
from fogspiel.games.load import load, load_sources
from fogspiel.machine.protocol import Machine
from fogspiel.rules.pogddl.check.checks import read_and_check
from games_by_language import games_in
from pogddl_games import CARDS, CART, NOUGHTS

SMALL_GAMES = {"cards": CARDS, "cart": CART, "noughts": NOUGHTS, "poker": POKER}
SEEDS = (*range(12), *range(40, 60))


def both(text: str) -> tuple[Machine, Machine]:
    """The compiled and the interpreted machine of a text."""
    sources = [Source("game.pogddl", text)]
    compiled = load_sources(sources, engine="compiled").machine
    return compiled, load_sources(sources, engine="reference").machine


@pytest.mark.parametrize("name", games_in("pogddl"))
def test_a_bundled_game_is_played_alike(name: str) -> None:
    machines = load(name, engine="compiled").machine, load(name, engine="reference").machine
    assert [machine.engine for machine in machines] == ["compiled", "reference"]
    walked = walk_together(*machines, walks=2, seed=1, max_steps=20)
    assert walked.steps > 5
    assert walked.choices
    assert walked.percepts
    assert not walked.faults


@pytest.mark.parametrize("name", SMALL_GAMES)
def test_a_small_game_is_played_alike(name: str) -> None:
    walked = walk_together(*both(SMALL_GAMES[name]), walks=20, seed=2)
    assert walked.ends == 20
    assert len(walked.payoffs) > 1


def test_random_games_are_played_alike_and_much_happens_in_them() -> None:
    totals: Counter[str] = Counter()
    payoffs: set[Fraction] = set()
    for seed in SEEDS:
        try:
            machines = both(random_game(seed))
        except LimitError as error:
            totals[error.findings[0].code] += 1
            continue
        try:
            walked = walk_together(*machines, walks=3, seed=seed)
        except AssertionError as difference:
            raise AssertionError(f"random_game({seed}): {difference}") from difference
        totals["games"] += 1
        totals["lively"] += walked.steps >= 8 and walked.choices >= 3
        totals["with changes"] += walked.changes > 0
        totals["with weights"] += walked.weighed > 0
        totals["with percepts"] += walked.percepts > 0
        totals["with payoffs"] += len(walked.payoffs) > 1
        payoffs |= walked.payoffs
    assert set(totals) & {"GRD001", "GRD002", "GRD003", "GRD004", "GRD005"} == set()
    assert totals["GRD006"] <= len(SEEDS) // 10
    assert totals["lively"] >= 0.8 * totals["games"]
    assert totals["with changes"] >= 0.5 * totals["games"]
    assert totals["with weights"] >= 0.1 * totals["games"]
    assert totals["with percepts"] >= 0.4 * totals["games"]
    assert totals["with payoffs"] >= 0.5 * totals["games"]
    assert any(payoff.denominator > 1 for payoff in payoffs)


def test_random_games_are_valid_and_use_all_forms_of_the_language() -> None:
    texts = [random_game(seed) for seed in range(200)]
    for text in texts[:50]:
        findings = read_and_check([Source("game.pogddl", text)])[1]
        assert not list(map(str, errors_in(findings)))
    forms = (
        "either", "exists", "forall", "imply", "(or ", "(not ", "(= ?", "(when", "assign",
        "increase", "decrease", "scale-up", "observe", "(all ", "(others ", "(?me ", " _",
        ":choose", ":terminal", ":gain ?", ":gain (?p ?q", ":gain a b", "(/ ", "(* ", "(- ",
        "(number 0",
    )  # fmt: skip
    used = {form: sum(form in text for text in texts) for form in forms}
    assert {form: count for form, count in used.items() if count < 20} == {}


COUNTING = """\
(define (domain counting)
  (:types role)
  (:constants ann ben - role)
  (:predicates (whoseturn ?r - role))
  (:functions (pot) - number (score ?r - role) - (number 0 5))
  (:action change
    :parameters (?r ?s - role)
    :precondition (and (whoseturn ?r) (not (= ?r ?s)))
    :effect (and (not (whoseturn ?r)) (whoseturn ?s) EFFECT))
  (:gain ?r - role (pot) ()))
(define (problem start) (:domain counting)
  (:init (whoseturn ann) (= (pot) 2) (= (score ann) 1)))
"""


def pot_after(effect: str, steps: int = 1) -> list[Fraction]:
    """What is in the pot after some steps, on both machines."""
    found = []
    for machine in both(COUNTING.replace("EFFECT", effect)):
        state = machine.initial()
        for _ in range(steps):
            state = machine.expand(state).states[0]
        values = [t[2] for t in machine.fluent_terms(state) if t[:2] == ("=", "pot")]
        found += [Fraction(str(value)) for value in values]
    return found


@pytest.mark.parametrize(
    ("effect", "after"),
    [
        ("(assign (pot) 3) (increase (pot) 2)", 5),
        ("(increase (pot) 2) (scale-up (pot) 3) (decrease (pot) 1)", 7),
        ("(scale-up (pot) 2) (scale-up (pot) 5)", 20),
        ("(assign (pot) 4) (scale-up (pot) 2) (increase (pot) (pot))", 10),
        ("(assign (pot) 4) (assign (pot) (+ (pot) 2))", 4),
        ("(forall (?x - role) (increase (pot) 3))", 8),
        ("(forall (?x ?y - role) (scale-up (pot) 2))", 32),
        ("(when (= (pot) 2) (assign (pot) 9)) (when (= (pot) 9) (assign (pot) 2))", 9),
    ],
)
def test_effects_of_one_action_on_one_value_set_then_scale_then_add(
    effect: str, after: int
) -> None:
    assert pot_after(effect) == [after, after]


@pytest.mark.parametrize(
    ("effect", "code"),
    [
        ("(assign (pot) 3) (assign (pot) (+ (pot) 2))", "MCH009"),
        ("(forall (?x - role) (assign (pot) (score ?x)))", "MCH009"),
        ("(increase (score ?r) 5)", "MCH008"),
        ("(decrease (score ben) 1)", "MCH008"),
        ("(assign (score ?s) (* 3 (pot)))", "MCH008"),
    ],
)
def test_what_goes_wrong_has_the_same_code_on_both_machines(effect: str, code: str) -> None:
    for machine in both(COUNTING.replace("EFFECT", effect)):
        state = machine.initial()
        for ask in (machine.expand, lambda s, m=machine: m.playouts(s[None, :], seed=1, count=9)):
            with pytest.raises(PlayError) as error:
                ask(state)
            assert error.value.findings[0].code == code


def test_the_number_that_left_its_bounds_is_named() -> None:
    for machine in both(COUNTING.replace("EFFECT", "(increase (score ?r) 5)")):
        with pytest.raises(PlayError, match=r"\(score ann\) passed its range"):
            machine.expand(machine.initial())


def test_two_movers_are_reported_by_both_machines() -> None:
    for machine in both(COUNTING.replace("(not (whoseturn ?r))", "").replace("EFFECT", "")):
        with pytest.raises(PlayError) as error:
            machine.expand(machine.expand(machine.initial()).states[0])
        assert error.value.findings[0].code == "MCH010"


@pytest.mark.parametrize(
    ("game", "payoffs"),
    [
        ("(:gain (?p ?q - role) 1 (not (= ?p ?q)))", (2, 2)),
        ("(:gain (?p ?q - role) 1 (= ?q ann))", (2, 1)),
        ("(:gain ann ben 3 ())", (3, 3)),
        ("(:gain ?p 1/2 (= ?p ben)) (:gain ben 1/3 ())", (0, Fraction(5, 6))),
    ],
)
def test_gains_of_several_roles(game: str, payoffs: tuple[Fraction, Fraction]) -> None:
    text = COUNTING.replace("(:gain ?r - role (pot) ())", game).replace("EFFECT", "")
    for machine in both(text):
        goals = machine.goals(machine.initial())
        assert tuple(Fraction(goal, machine.goal_scale) for goal in goals) == payoffs


def test_others_are_those_whom_no_item_names_even_beside_all() -> None:
    told = "(observe (all (moved)) (?r (you)) (others (they)))"
    seen = []
    for machine in both(COUNTING.replace("EFFECT", told)):
        state = machine.initial()
        joint = machine.expand(state).joints[0]
        seen.append(
            [
                {machine.percept_term(role, p) for p in machine.percepts(state, joint, role)}
                for role in map(RoleId, range(2))
            ]
        )
    assert seen == [[{"moved", "you"}, {"moved", "they"}]] * 2
