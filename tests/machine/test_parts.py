"""Decomposition of games: parts are independent, on known games and on random ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.typing import NDArray
from random_games import games
from two_machines import compiled_of

from fogspiel.core.terms import RoleId
from fogspiel.games.load import load
from fogspiel.machine.analysis.independent_parts import CLOCK, WAITING, Parts, parts_of
from fogspiel.machine.analysis.random_walks import random_walks
from fogspiel.machine.protocol import Machine, States
from fogspiel.machine.wrappers.relevance import RelevantSubgame
from part_games import DIALS, LAMPS, ONE_DIAL_MATTERS, ROWS, TWO_BOARDS, machine_of

WALKS = 24
MAX_STEPS = 40


def taken_apart(machine: Machine) -> Parts:
    parts = parts_of(machine)
    assert parts is not None
    return parts


def met(machine: Machine, rng: np.random.Generator) -> States:
    """States of random walks."""
    rows = [machine.initial()[None, :]]
    for number, step in enumerate(random_walks(machine, WALKS, rng)):
        rows.append(step.states)
        if number == MAX_STEPS:
            break
    return np.concatenate(rows)


def drawn(legal: NDArray[np.bool_], rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(legal)))


def assert_independent(machine: Machine, seed: int = 0) -> int:
    """Mix states outside a part, make other moves outside it: the part must not notice.

    Returns how many steps were compared.
    """
    parts, rng = taken_apart(machine), np.random.default_rng(seed)
    states = met(machine, rng)
    compared = 0
    for part in range(parts.count):
        own = parts.mask(part, CLOCK)
        for _ in range(6):
            one, other = states[rng.integers(len(states), size=2)]
            mixed = (one & own) | (other & ~own)
            legal = [
                [machine.legal_batch(s[None, :], RoleId(role))[0] for s in (one, mixed)]
                for role in range(len(machine.roles))
            ]
            inside = [own_moves == part for own_moves in parts.of_moves]
            for role, (before, after) in enumerate(legal):
                assert np.array_equal(before & inside[role], after & inside[role])
            joints: list[list[int]] = [[], []]
            for role, (before, after) in enumerate(legal):
                if not before.any() or not after.any():
                    break
                move = drawn(before, rng)
                joints[0].append(move)
                outside = after & ~inside[role]
                if not inside[role][move] and not outside.any():
                    break
                joints[1].append(move if inside[role][move] else drawn(outside, rng))
            if len(joints[1]) < len(machine.roles):
                continue
            ends = machine.step_batch(np.stack([one, mixed]), np.array(joints, np.int32))
            assert np.array_equal(ends[0] & own, ends[1] & own)
            only = parts.mask(part)
            if parts.keeps[part] and not any(
                inside[role][move] for role, move in enumerate(joints[0])
            ):
                assert np.array_equal(ends[0] & only, one & only)
            compared += 1
    return compared


def assert_irrelevant(machine: Machine, seed: int = 0) -> None:
    """Mix states in irrelevant parts, on which goals and terminal states must not depend."""
    parts, rng = taken_apart(machine), np.random.default_rng(seed)
    states = met(machine, rng)
    keep = parts.mask(CLOCK, *np.flatnonzero(parts.relevant).tolist())
    mixed = (states & keep) | (rng.permutation(states) & ~keep)
    assert np.array_equal(machine.goals_batch(states), machine.goals_batch(mixed))
    assert np.array_equal(machine.terminal_batch(states), machine.terminal_batch(mixed))


@pytest.mark.parametrize(
    ("text", "count", "relevant"),
    [(DIALS, 2, 2), (ONE_DIAL_MATTERS, 4, 1), (LAMPS, 9, 9), (TWO_BOARDS, 12, 3), (ROWS, 2, 2)],
    ids=["dials", "one dial", "lamps", "boards", "rows"],
)
def test_parts_are_counted(text: str, count: int, relevant: int) -> None:
    machine = machine_of(text)
    parts = taken_apart(machine)
    assert (parts.count, int(parts.relevant.sum())) == (count, relevant)
    assert assert_independent(machine) > 0
    assert_irrelevant(machine)


def test_heaps_of_nim_are_parts_and_control_is_the_clock() -> None:
    machine = load("nim").machine
    parts = taken_apart(machine)
    assert parts.count == 4
    assert (parts.keeps & parts.timeless & ~parts.unscheduled).all()
    assert int((parts.of_fluents == CLOCK).sum()) == 2
    assert [int((own == WAITING).sum()) for own in parts.of_moves] == [1, 1]


def test_lamps_burn_down_by_themselves() -> None:
    parts = taken_apart(machine_of(LAMPS))
    assert not parts.keeps.any()
    assert parts.unscheduled.all()


def test_a_game_whose_pieces_meet_is_one_part() -> None:
    assert taken_apart(load("breakthrough_6").machine).count == 1


def test_a_card_that_can_be_played_once_is_not_left_out() -> None:
    """Goofspiel's lowest card affects only itself, and is gone once it is played."""
    machine = load("goofspiel_4").machine
    parts, start = taken_apart(machine), machine.initial()
    assert not parts.relevant.all()
    assert not RelevantSubgame(machine, parts, start).lasts(start, RoleId(0))


@pytest.mark.parametrize(
    "name", ["tic_tac_toe", "nim", "connect_four", "kuhn_poker", "monty_hall", "liars_dice"]
)
def test_parts_of_bundled_games_are_independent(name: str) -> None:
    machine = load(name).machine
    assert_independent(machine)
    assert_irrelevant(machine)


@settings(max_examples=8)
@given(games())
def test_parts_of_random_games_are_independent(text: str) -> None:
    machine = compiled_of(text)
    assert_independent(machine)
    assert_irrelevant(machine)


def test_too_much_work_is_refused_and_tried_again_with_more() -> None:
    machine = load("nim").machine
    assert parts_of(machine, 10) is None
    assert parts_of(machine) is not None


def test_the_reference_machine_has_no_gates_to_take_apart() -> None:
    assert parts_of(load("tic_tac_toe", engine="reference").machine) is None


def test_what_does_not_matter_stands_still() -> None:
    machine = machine_of(TWO_BOARDS)
    parts, start = taken_apart(machine), machine.initial()
    focused = RelevantSubgame(machine, parts, start)
    # Three cells that count, and one move for all that do not.
    assert len(machine.legal(start, RoleId(0))) == 12
    assert len(focused.legal(start, RoleId(0))) == 4
    idle = next(
        move
        for move in focused.legal(start, RoleId(0))
        if not parts.relevant[parts.of_moves[0][move]]
    )
    waiting = machine.legal(start, RoleId(1))[0]
    after = focused.step(start, [idle, waiting])
    assert focused.stands_at(after)
    assert focused.lasts(start, RoleId(0))
    assert not focused.stands_at(machine.step(start, [idle, waiting]))


def test_public_sheets_fall_apart(corpus: Path) -> None:
    """Counts from reading the rules: nine groups of buttons, one relevant, and 4 x 4 lamps."""
    folder = corpus / "gdl1"
    expected = {
        "libgdl__multiple_buttons_and_lights.kif": (9, 1),
        "libgdl__best_buttons_and_lights.kif": (9, 9),
        "ggp-repository__lightsOnParallel.kif": (16, 16),
        "stanford2018__multiplesukoshi.kif": (9, 1),
    }
    for name, (count, relevant) in expected.items():
        machine = load(str(folder / name)).machine
        parts = taken_apart(machine)
        assert (parts.count, int(parts.relevant.sum())) == (count, relevant), name
        assert_independent(machine)
