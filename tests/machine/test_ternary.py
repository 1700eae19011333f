"""Three-valued reasoning on gates: exact for known states, and sound for partly known ones."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from random_games import games
from two_machines import program_of

from fogspiel.core.terms import PerceptId, RoleId
from fogspiel.games.load import load
from fogspiel.ground.program import ground
from fogspiel.machine.compiled.machine import CompiledMachine
from fogspiel.machine.protocol import Expansion, Machine, State, States
from fogspiel.machine.three_valued import (
    UNKNOWN_MOVE,
    FluentBounds,
    OffersTernary,
    Ternary,
    known,
    unknown,
)

GAMES = [
    "tic_tac_toe",
    "kuhn_poker",
    "leduc_poker",
    "latent_tic_tac_toe",
    "dark_hex_3",
    "phantom_connect_four",
    "blind_breakthrough_6",
    "monty_hall",
    "mastermind",
    "liars_dice",
    "meier",
    "battleship_4_2",
    "racko_12_3",
    "gops_4_10",
    "difference_9",
    "slippery_robot",
    "checkers",
    "repeated_rps_9",
]
MOST_CHILDREN = 600
STEPS = 12


def ternary_of(machine: Machine) -> Ternary:
    assert isinstance(machine, OffersTernary)
    return machine.ternary()


def bits(rows: States, machine: Machine) -> np.ndarray:
    """(n, fluents) truth values."""
    assert isinstance(machine, CompiledMachine)
    count = machine.network.wiring.fluents
    return np.unpackbits(rows.view(np.uint8), axis=1, bitorder="little")[:, :count].astype(bool)


def positions(machine: Machine, seed: int) -> Iterator[tuple[State, Expansion]]:
    """States of a random game that are not its end, each with its children."""
    rng = np.random.default_rng(seed)
    state = machine.initial()
    for _ in range(STEPS):
        choices = [machine.legal(state, RoleId(r)) for r in range(len(machine.roles))]
        if machine.terminal(state) or not all(choices):
            return
        if np.prod([len(moves) for moves in choices]) <= MOST_CHILDREN:
            yield state, machine.expand(state)
        state = machine.step(state, [moves[rng.integers(len(moves))] for moves in choices])


def percepts_of(machine: Machine, state: State, children: Expansion, role: RoleId) -> np.ndarray:
    states = np.repeat(state[None, :], len(children.joints), axis=0)
    return machine.percepts_batch(states, children.joints, role)


def seen(row: np.ndarray) -> list[PerceptId]:
    return [PerceptId(int(percept)) for percept in np.flatnonzero(row)]


def blurred(state: State, machine: Machine, share: float, rng: np.random.Generator) -> FluentBounds:
    """A state of which some fluents are not known."""
    exact = known(state[None, :])
    hidden = np.zeros(len(state) * 64, np.uint8)
    hidden[: bits(exact.can_hold, machine).shape[1]] = 1
    hidden &= rng.random(len(hidden)) < share
    words = np.packbits(hidden, bitorder="little").view(np.uint64)
    return FluentBounds(exact.can_hold | words, exact.can_fail | words)


def check_exact(machine: Machine, seed: int) -> None:
    ternary = ternary_of(machine)
    for state, children in positions(machine, seed):
        before = known(state[None, :])
        for role, moves in enumerate(ternary.possible_moves(before)):
            assert tuple(np.flatnonzero(moves)) == machine.legal(state, RoleId(role))
        after = ternary.effects(before, children.joints)
        truth = bits(children.states, machine)
        assert np.array_equal(bits(after.can_hold, machine), truth)
        assert np.array_equal(bits(after.can_fail, machine), ~truth)
        for role in map(RoleId, range(len(machine.roles))):
            rows = percepts_of(machine, state, children, role)
            found = ternary.examine(
                before, children.joints, role, seen(rows[0]), unknown(len(state))
            )
            assert np.array_equal(found.plausible, (rows == rows[0]).all(axis=1))
            fits = found.plausible
            assert np.array_equal(bits(found.after.can_hold, machine)[fits], truth[fits])
            assert np.array_equal(bits(found.after.can_fail, machine)[fits], ~truth[fits])


def check_sound(machine: Machine, seed: int) -> None:
    """The moves and states of actual play are never excluded, whatever is hidden of them."""
    ternary = ternary_of(machine)
    rng = np.random.default_rng(seed)
    for state, children in positions(machine, seed):
        pick = int(rng.integers(len(children.joints)))
        share = float(rng.choice([0.1, 0.5, 0.9, 1.0]))
        before = blurred(state, machine, share, rng)
        after = blurred(children.states[pick], machine, share, rng)
        for moves, move in zip(ternary.possible_moves(before), children.joints[pick], strict=True):
            assert moves[move]
        wide = ternary.effects(before, children.joints[pick : pick + 1])
        assert holds_in(wide, children.states[pick], machine)
        for role in map(RoleId, range(len(machine.roles))):
            rows = percepts_of(machine, state, children, role)
            joints = children.joints.copy()
            joints[:, rng.random(joints.shape[1]) < 0.3] = UNKNOWN_MOVE
            for tried in (children.joints, joints):
                found = ternary.examine(before, tried, role, seen(rows[pick]), after)
                assert found.plausible[pick]
                row = slice(pick, pick + 1)
                assert holds_in(found.before[row], state, machine)
                assert holds_in(found.after[row], children.states[pick], machine)
                assert narrower(found.before[row], before)


def holds_in(bounds: FluentBounds, state: State, machine: Machine) -> bool:
    truth = bits(state[None, :], machine)
    hold, fail = bits(bounds.can_hold, machine), bits(bounds.can_fail, machine)
    return bool((hold | ~truth).all() and (fail | truth).all())


def narrower(inner: FluentBounds, outer: FluentBounds) -> bool:
    grown = (inner.can_hold & ~outer.can_hold) | (inner.can_fail & ~outer.can_fail)
    return not grown.any()


@pytest.mark.parametrize("game", GAMES)
def test_three_values_are_exact_where_the_state_is_known(game: str) -> None:
    check_exact(load(game).machine, seed=1)


@pytest.mark.parametrize("game", GAMES)
def test_what_happened_is_never_excluded(game: str) -> None:
    machine = load(game).machine
    for seed in range(4):
        check_sound(machine, seed)


@settings(max_examples=10, deadline=None)
@given(games())
def test_both_hold_in_random_games_with_recursion(text: str) -> None:
    machine = CompiledMachine(ground(program_of(text)))
    for seed in (1, 2):
        check_exact(machine, seed)
        check_sound(machine, seed)


RULES = """
(role robot)
(init (at a)) (init (gate shut))
(<= (legal robot (push ?x)) (true (at ?x)))
(<= (legal robot wait) (true (gate open)))
(<= (next (at ?x)) (true (at ?x)))
(<= (next (gate open)) (does robot (push b)))
(<= (next (gate shut)) (true (gate shut)) (not (does robot (push b))))
(<= (next (gate open)) (true (gate open)))
(<= (next (at b)) (does robot (push a)))
(<= (sees robot click) (does robot (push ?x)) (true (gate shut)))
(<= terminal (true (at c)))
(goal robot 0)
"""


def test_what_was_seen_is_carried_back_to_the_state_before() -> None:
    machine = CompiledMachine(ground(program_of(RULES)))
    ternary = ternary_of(machine)
    robot = RoleId(0)
    push, wait = (machine.move_id(robot, move) for move in (("push", "b"), "wait"))
    nothing = unknown(len(machine.initial()))
    click = [PerceptId(0)]
    found = ternary.examine(nothing, np.array([[push], [wait]], np.int32), robot, click, nothing)
    assert found.plausible.tolist() == [True, False]  # waiting does not click
    must_hold = found.before.can_hold[0] & ~found.before.can_fail[0]
    held = {str(term) for term in machine.fluent_terms(must_hold)}
    # The precondition of the move, and what the click tells.
    assert {str(("at", "b")), str(("gate", "shut"))} <= held
    after = found.after.can_hold[0] & ~found.after.can_fail[0]
    assert ("gate", "open") in machine.fluent_terms(after)
