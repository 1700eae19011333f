"""Scrambled rules are the same game: names go there and back, and play is the same."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fogspiel.belief.positions import random_history
from fogspiel.core.source import Source
from fogspiel.core.terms import RoleId
from fogspiel.games.library import bundled_games, resolve
from fogspiel.games.load import load_source
from fogspiel.play.ggp.term_text import MessageError, Scrambling
from fogspiel.rules.gdl.check.checks import check
from fogspiel.rules.gdl.read import read_description
from fogspiel.rules.gdl.write import write

GDL_GAMES = [name for name in bundled_games() if resolve(name).name.endswith(".gdl")]
SCORED = """
(role a) (init (score 1)) (legal a (add 2)) (succ 1 2) (succ 2 3)
(<= (next (score 3)) (true (score 1))) (<= terminal (true (score 3)))
(<= (goal a ?n) (true (score ?n)))
"""


def prefix_rules(name: str) -> str:
    description, _ = read_description(resolve(name))
    return write(description)


@pytest.mark.parametrize("name", GDL_GAMES)
@pytest.mark.parametrize(("seed", "upper"), [(1, False), (None, True), (2, True)])
def test_scrambled_rules_say_the_same(name: str, seed: int | None, upper: bool) -> None:
    rules = prefix_rules(name)
    scrambling = Scrambling(seed, rules, upper=upper)
    assert len(set(scrambling.names.values())) == len(scrambling.names)
    description, findings = read_description(Source("told", scrambling.rules))
    original, _ = read_description(Source("rules", rules))
    assert not findings
    assert len(description.rules) == len(original.rules)
    codes = [finding.code for finding in check(original)]
    assert upper or [finding.code for finding in check(description)] == codes


@pytest.mark.parametrize("seed", [3, None])
def test_a_scrambled_game_is_played_the_same(seed: int | None) -> None:
    rules = Scrambling(None, resolve("kuhn_poker").text).rules
    scrambling = Scrambling(seed, rules)
    plain = load_source(Source("plain", rules), engine="reference").machine
    told = load_source(Source("told", scrambling.rules), engine="reference").machine
    assert told.roles == tuple(scrambling.name(role) for role in plain.roles)
    state, other = plain.initial(), told.initial()
    for joint in random_history(plain, 9, seed=5):
        moves = [plain.move_term(RoleId(r), m) for r, m in enumerate(joint)]
        other_joint = [told.move_id(RoleId(r), scrambling.term(t)) for r, t in enumerate(moves)]
        for role in map(RoleId, range(3)):
            seen = {plain.percept_term(role, p) for p in plain.percepts(state, joint, role)}
            seen_there = told.percepts(other, other_joint, role)
            assert {scrambling.back(told.percept_term(role, p)) for p in seen_there} == seen
        state, other = plain.step(state, joint), told.step(other, other_joint)
    assert plain.terminal(state)
    assert told.terminal(other)
    assert told.goals(other) == plain.goals(state)


def test_no_name_of_the_game_is_told() -> None:
    rules = Scrambling(None, resolve("monty_hall").text).rules
    words = set(re.findall(r"[^\s()]+", Scrambling(7, rules).rules))
    assert words & {"door", "car", "candidate", "1", "2", "3", "noop"} == set()
    assert {"role", "random", "legal", "100", "0"} <= words


def test_another_seed_tells_other_names_and_the_same_seed_the_same() -> None:
    rules = Scrambling(None, resolve("monty_hall").text).rules
    assert Scrambling(7, rules).rules == Scrambling(7, rules).rules
    assert Scrambling(7, rules).rules != Scrambling(8, rules).rules


def test_numbers_stay_where_a_variable_may_make_goals_of_them() -> None:
    told = Scrambling(1, SCORED)
    assert told.names["1"] == "1"
    assert told.names["3"] == "3"
    assert told.names["score"] != "score"


def test_names_that_differ_by_case_alone_still_do() -> None:
    told = Scrambling(1, "(timeOut) (timeout) (Timeout) (a)").names
    spellings = [told["timeOut"], told["timeout"], told["Timeout"]]
    assert len(set(spellings)) == 3
    assert len({spelling.lower() for spelling in spellings}) == 1
    upper = Scrambling(None, "(timeOut) (timeout) (a)", upper=True).names
    assert upper == {"timeOut": "timeOut", "timeout": "timeout", "a": "A"}


def test_an_answer_may_come_in_another_case_but_not_in_names_that_were_not_told() -> None:
    scrambling = Scrambling(None, "(role white) (legal white (mark 1))", upper=True)
    assert scrambling.back(("mark", "1")) == ("mark", "1")
    assert scrambling.back(("MARK", "1")) == ("mark", "1")
    scrambling = Scrambling(1, "(role white) (legal white (mark 1))")
    with pytest.raises(MessageError) as caught:
        scrambling.back(("mark", "1"))
    assert caught.value.findings[0].code == "GGP002"


name_lists = st.lists(
    st.text(st.characters(codec="utf-8", exclude_categories=["C"]), min_size=1, max_size=6),
    min_size=1,
    max_size=12,
)


@settings(max_examples=200)
@given(name_lists, st.integers(0, 2**32) | st.none(), st.booleans())
def test_terms_go_there_and_back(names: list[str], seed: int | None, upper: bool) -> None:
    quoted = ["|" + re.sub(r"([|\\])", r"\\\1", name) + "|" for name in names]
    scrambling = Scrambling(seed, " ".join(f"(known {name})" for name in quoted), upper=upper)
    rng = np.random.default_rng(len(names))
    for _ in range(5):
        term = ("known", *(names[int(i)] for i in rng.integers(len(names), size=3)))
        assert scrambling.back(scrambling.term(term)) == term
        nested = ("known", term, names[0])
        assert scrambling.back(scrambling.term(nested)) == nested
