"""Games in GDL-II and what they become in POGDDL play the same."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from side_by_side import PogddlTranslation, assert_same_walk, pogddl_of

from fogspiel.core.findings import FogspielError, Severity
from fogspiel.core.source import Source
from fogspiel.core.terms import RoleId
from fogspiel.games.library import bundled_games, game_source
from fogspiel.games.load import LoadedGame, load_source
from fogspiel.machine.interpreter.machine import InterpretedMachine
from fogspiel.rules.pogddl.check.checks import read_and_check
from fogspiel.rules.pogddl.text_parts import is_pogddl
from fogspiel.rules.translate.to_pogddl.to_pogddl import to_pogddl


@cache
def loaded(name: str) -> LoadedGame:
    return load_source(game_source(name))


@cache
def translated(name: str) -> PogddlTranslation:
    return pogddl_of(loaded(name), name)


GAMES = [name for name in bundled_games() if not is_pogddl(game_source(name).text)]


def translation_of(text: str) -> tuple[LoadedGame, PogddlTranslation]:
    game = load_source(Source("test.gdl", text))
    return game, pogddl_of(game, "test")


def assert_plays_the_same(game: LoadedGame, translation: PogddlTranslation, walks: int) -> None:
    description, findings = read_and_check([Source("t.pogddl", translation.text)])
    assert [str(f) for f in findings if f.severity is not Severity.NOTE] == []
    assert description == translation.description
    machine = InterpretedMachine(description)
    for seed in range(walks):
        rng = np.random.default_rng(seed)
        assert_same_walk(game.machine, machine, translation.names, rng)


@pytest.mark.parametrize("name", GAMES)
def test_a_translation_reads_back_without_findings(name: str) -> None:
    description, findings = read_and_check([Source(name, translated(name).text)])
    assert [str(finding) for finding in findings] == []
    assert description == translated(name).description


@pytest.mark.parametrize("name", GAMES)
def test_random_matches_are_the_same(name: str) -> None:
    assert_plays_the_same(loaded(name), translated(name), walks=1)


def test_a_game_that_does_not_ground_is_refused_with_a_code() -> None:
    with pytest.raises(FogspielError, match="TRN001"):
        to_pogddl(loaded("tic_tac_toe").program, None)


NESTED = """
(role ann) (role ben)
(suit hearts) (suit spades) (rank 1) (rank 2)
(init (holds ann (card 1 hearts))) (init (holds ben none)) (init (turn ann))
(init (noted ben (card 2 spades)))
(<= (other ?p ?q) (role ?p) (role ?q) (distinct ?p ?q))
(<= (legal ?p (give ?x)) (true (turn ?p)) (true (holds ?p ?x)))
(<= (legal ?p (swap (card ?r ?s) ?q)) (true (turn ?p)) (rank ?r) (suit ?s) (other ?p ?q))
(<= (legal ?p noop) (role ?p) (not (true (turn ?p))))
(<= (next (holds ?q ?x)) (does ?p (give ?x)) (other ?p ?q))
(<= (next (holds ?p ?c)) (does ?p (swap ?c ?q)))
(<= (next ?f) (true ?f) (kept ?f))
(<= (kept (noted ?p ?c)) (true (noted ?p ?c)) (not (true (holds ?p ?c))))
(<= (next (noted ?p ?c)) (does ?p (swap ?c ?q)) (distinct ?c (card 1 hearts)))
(<= (next (turn ?q)) (true (turn ?p)) (other ?p ?q))
(<= (next (step 1)) (not (true (step 1))) (not (true (step 2))))
(<= (next (step 2)) (true (step 1)))
(<= (next (step 3)) (true (step 2)))
(<= (sees ?q (saw ?p ?m)) (does ?p ?m) (other ?p ?q))
(<= terminal (true (step 3)))
(<= (goal ?p 30) (true (holds ?p (card ?r ?s))))
(<= (goal ?p 70) (true (holds ?p (card 1 ?s))))
(<= (goal ?p 5) (role ?p))
"""


def test_nested_terms_and_variables_for_fluents_are_taken_apart() -> None:
    game, translation = translation_of(NESTED)
    assert all(part in translation.text for part in ("(holds-card ?", "(holds ?", "saw-swap-card"))
    assert_plays_the_same(game, translation, walks=20)


def test_of_several_goals_the_largest_counts() -> None:
    game, translation = translation_of(NESTED)
    assert "(and (goal ?p n30) (not (goal ?p n70)))" in translation.text
    goals = {goal for seed in range(20) for goal in _end(game, seed)}
    assert goals == {5, 30, 70}


def _end(game: LoadedGame, seed: int) -> tuple[int, ...]:
    rng = np.random.default_rng(seed)
    machine, state = game.machine, game.machine.initial()
    while not machine.terminal(state):
        legal = [machine.legal(state, RoleId(r)) for r in range(len(machine.roles))]
        state = machine.step(state, [moves[int(rng.integers(len(moves)))] for moves in legal])
    return machine.goals(state)


MANY_GOALS = """
(role ann)
(init (at 0))
(succ 0 10) (succ 10 20) (succ 20 35) (succ 35 50) (succ 50 80)
(legal ann go) (legal ann stop)
(<= (next (at ?y)) (true (at ?x)) (does ann go) (succ ?x ?y))
(<= (next (at ?x)) (true (at ?x)) (does ann stop))
(<= (next stopped) (does ann stop))
(<= terminal (true stopped))
(<= terminal (true (at 80)))
(<= (goal ann ?x) (reached ?x))
(<= (reached ?x) (true (at ?x)))
(<= (reached ?x) (reached ?y) (succ ?x ?y))
"""


def test_many_goal_values_are_compared_by_their_worth() -> None:
    game, translation = translation_of(MANY_GOALS)
    assert "(better-goal ann" not in translation.text
    assert "(= (worth n35) 35)" in translation.text
    assert_plays_the_same(game, translation, walks=20)


AWKWARD = """
(role all) (role whoseturn) (role x)
(init (cell 1 1 b)) (init (object chance)) (init (And and))
(mark x) (mark b) (+ 1 2) (+ 2 3) (+ 3 1) (+ 1 1) (+ 2 2)
(<= (+ ?a ?c) (+ ?a ?b) (+ ?b ?c))
(<= (legal ?r (not ?m)) (role ?r) (mark ?m))
(<= (legal ?r ?m) (role ?r) (mark ?m) (true (cell 1 1 ?m)))
(<= (next (cell ?b ?b ?r)) (true (cell ?a ?a ?m)) (+ ?a ?b) (distinct ?a ?b) (does ?r (not ?m)))
(<= (next (object chance)) (true (object chance)))
(<= (next (And and)) (true (and (And and))))
(<= (next (and (resolving ?r))) (does ?r ?m))
(<= (sees ?r ?m) (does ?r ?m))
(<= terminal (not (some_cell)))
(<= terminal (true (cell 3 3 ?m)))
(<= (some_cell) (true (cell ?a ?b ?m)))
(<= (goal ?r 100) (true (cell ?a ?b ?r)))
"""


def test_names_that_pddl_cannot_write_get_others() -> None:
    game, translation = translation_of(AWKWARD)
    assert_plays_the_same(game, translation, walks=20)


def test_a_name_of_two_sorts_becomes_two_objects() -> None:
    game, translation = translation_of(
        "(role x) (init (at 1)) (init (left 1)) (init (here x)) (legal x (go 1)) (cost 1 x)"
        "(<= (next (at ?c)) (does x (go ?c))) (<= (next (paid ?w)) (true (left ?l)) (cost ?l ?w))"
        "(<= terminal (true (paid x))) (<= (goal x 1) (true (at 1)))"
    )
    assert translation.names.fluent(("at", "1")) != translation.names.fluent(("left", "1"))
    assert "(at n1)" in translation.text
    assert "(left left-1)" in translation.text
    assert_plays_the_same(game, translation, walks=1)


def test_facts_of_a_relation_with_rules_become_part_of_its_derivation() -> None:
    _, translation = translation_of(AWKWARD)
    assert "given-plus" in translation.text
    assert "(given-plus n1 n2)" in translation.text


ENDLESS = """
(role ann)
(init (pile nil))
(legal ann push)
(<= (next (pile (cons x ?l))) (true (pile ?l)))
(<= terminal (true (pile (cons x (cons x nil)))))
(goal ann 1)
"""


def test_terms_that_grow_without_end_are_refused_with_a_code() -> None:
    game = load_source(Source("endless.gdl", ENDLESS), engine="reference")
    with pytest.raises(FogspielError, match="TRN002"):
        to_pogddl(game.program, loaded("tic_tac_toe").ground)
