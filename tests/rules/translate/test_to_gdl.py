"""Games in POGDDL and what they become in GDL-II play the same."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from number_games import ENDLESS, URN

from fogspiel.core.findings import LimitError, UsageError, errors_in
from fogspiel.core.source import Source
from fogspiel.core.terms import GroundTerm, MoveId, RoleId
from fogspiel.games.library import bundled_games, game_source
from fogspiel.games.load import load_source
from fogspiel.ground.program import ground
from fogspiel.machine.interpreter.machine import InterpretedMachine
from fogspiel.machine.protocol import Machine, State
from fogspiel.rules.gdl.read import read_description
from fogspiel.rules.pogddl.check.checks import read_and_check
from fogspiel.rules.pogddl.lower.lower import lower
from fogspiel.rules.pogddl.syntax import GameDescription
from fogspiel.rules.pogddl.text_parts import is_pogddl
from fogspiel.rules.translate.to_gdl.to_gdl import GdlTranslation, to_gdl

MAX_STEPS = 40
GAMES = [name for name in bundled_games() if is_pogddl(game_source(name).text)]
SLOW = {"gops_10_40"}
"""Scores up to 655: counting them out takes half a minute to ground."""


@cache
def described(name: str) -> GameDescription:
    description, findings = read_and_check([game_source(name)])
    assert not errors_in(findings)
    return description


def translated(description: GameDescription) -> GdlTranslation:
    return to_gdl(description, ground(lower(description)))


def assert_plays_the_same(description: GameDescription, walks: int) -> None:
    translation = translated(description)
    assert read_description(Source("t.gdl", translation.text))[0] == translation.description
    game = InterpretedMachine(description)
    machine = load_source(Source("t.gdl", translation.text)).machine
    for seed in range(walks):
        assert_same_walk(game, machine, translation, np.random.default_rng(seed))


def assert_same_walk(
    game: Machine, other: Machine, translation: GdlTranslation, rng: np.random.Generator
) -> None:
    """Play one random match on both machines, comparing all that can be seen."""
    assert other.roles == tuple(renamed(role) for role in game.roles)
    state, position = game.initial(), other.initial()
    for _ in range(MAX_STEPS):
        assert other.terminal(position) == game.terminal(state)
        if game.terminal(state):
            payoffs = [Fraction(goal, game.goal_scale) for goal in game.goals(state)]
            shifted = [goal - translation.offset for goal in other.goals(position)]
            assert [Fraction(goal, translation.scale) for goal in shifted] == payoffs
            return
        joint, made = [], []
        for index in range(len(game.roles)):
            role = RoleId(index)
            chances = chances_of(
                other, position, role, list(map(renamed, moves(game, state, role)))
            )
            legal = game.legal(state, role)
            if role == game.chance_role:
                weights = game.chance_weights(state)
                expected = [chances[renamed(game.move_term(role, m))] for m in legal]
                assert weights == pytest.approx([float(chance) for chance in expected])
            joint.append(legal[int(rng.integers(len(legal)))])
            made.append(move_like(other, position, role, renamed(game.move_term(role, joint[-1]))))
        for index in range(len(game.roles)):
            role = RoleId(index)
            seen = {renamed(game.percept_term(role, p)) for p in game.percepts(state, joint, role)}
            known = {other.percept_term(role, p) for p in other.percepts(position, made, role)}
            assert known == seen
        state, position = game.step(state, joint), other.step(position, made)


def renamed(term: GroundTerm) -> GroundTerm:
    """Chance is called random in GDL."""
    if isinstance(term, str):
        return "random" if term == "chance" else term
    return (term[0], *map(renamed, term[1:]))


def moves(machine: Machine, state: State, role: RoleId) -> list[GroundTerm]:
    return [machine.move_term(role, move) for move in machine.legal(state, role)]


def without_copy(term: GroundTerm, known: list[GroundTerm]) -> GroundTerm:
    """A move, or the move that it is a copy of."""
    if term in known:
        return term
    shorter = term[:-1]
    return shorter[0] if len(shorter) == 1 else shorter


def chances_of(
    machine: Machine, state: State, role: RoleId, known: list[GroundTerm]
) -> dict[GroundTerm, Fraction]:
    """The probability of each move that chance makes evenly, its copies counted together."""
    found = Counter(without_copy(term, known) for term in moves(machine, state, role))
    assert set(found) == set(known)
    return {term: Fraction(count, found.total()) for term, count in found.items()}


def move_like(machine: Machine, state: State, role: RoleId, term: GroundTerm) -> MoveId:
    """A copy of a move."""
    return next(
        move
        for move in machine.legal(state, role)
        if without_copy(machine.move_term(role, move), [term]) == term
    )


@pytest.mark.parametrize("name", [name for name in GAMES if name not in SLOW])
def test_random_matches_are_the_same(name: str) -> None:
    assert_plays_the_same(described(name), walks=3)


def test_sums_products_and_weights_are_written_as_rules() -> None:
    description, findings = read_and_check([Source("urn.pogddl", URN)])
    assert [str(finding) for finding in findings] == []
    assert_plays_the_same(description, walks=20)
    text = translated(description).text
    assert text.startswith("; payoff = (goal - 44) / 8")
    assert "(does random (draw ?c ?copy))" in text


def test_a_number_without_a_bound_is_refused_with_a_code() -> None:
    description, _ = read_and_check([Source("endless.pogddl", ENDLESS)])
    with pytest.raises(LimitError, match="TRN003"):
        translated(description)


def test_changing_numbers_need_the_ground_game() -> None:
    with pytest.raises(UsageError, match="TRN001"):
        to_gdl(described("kuhn_poker_pogddl"), None)
