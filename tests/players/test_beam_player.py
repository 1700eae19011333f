"""The player of puzzles follows the best line, and searches again where play has left it."""

from __future__ import annotations

from itertools import count

from fogspiel.core.budget import Budget
from fogspiel.core.source import Source
from fogspiel.core.terms import Observation, RoleId
from fogspiel.games.load import load, load_source
from fogspiel.machine.protocol import Machine
from fogspiel.play.loop import play_match
from fogspiel.players.catalogue import make_player
from fogspiel.players.protocol import Seat
from fogspiel.players.searching.beam import BeamPlayer

ALONE = RoleId(0)
HOUR = 3_600.0
TARGET = 152
"""Goal number of the puzzle, which 1 of 128 lines of moves reaches."""


def counter() -> Machine:
    """A puzzle: double 1 or add 3 to it, seven times; one number pays in full."""
    numbers = range(256)
    doubled = " ".join(f"(double {n} {2 * n})" for n in numbers)
    raised = " ".join(f"(raised {n} {n + 3})" for n in numbers)
    steps = " ".join(f"(after {n} {n + 1})" for n in range(7))
    text = f"""
    (role clerk) {doubled} {raised} {steps}
    (init (shows 1)) (init (step 0))
    (legal clerk double) (legal clerk raise)
    (<= (next (shows ?m)) (does clerk double) (true (shows ?n)) (double ?n ?m))
    (<= (next (shows ?m)) (does clerk raise) (true (shows ?n)) (raised ?n ?m))
    (<= (next (step ?t)) (true (step ?s)) (after ?s ?t))
    (<= terminal (true (step 7)))
    (<= (goal clerk 100) (true (shows {TARGET})))
    (<= (goal clerk 10) (not (true (shows {TARGET}))))
    """
    return load_source(Source("counter.gdl", text)).machine


def started(machine: Machine, simulations: int) -> BeamPlayer:
    player = make_player("beam")
    assert isinstance(player, BeamPlayer)
    player.start(Seat(machine, ALONE, 1), Budget.of(simulations=simulations))
    return player


def test_the_one_way_is_found_before_play_and_followed() -> None:
    machine = counter()
    assert started(machine, 1_000).line is not None
    match = play_match(
        machine,
        {ALONE: make_player("beam")},
        start_budget=lambda: Budget.of(simulations=1_000),
        turn_budget=lambda: Budget.of(simulations=1),
        seed=1,
    )
    assert match.goals == (100,)


def test_what_is_not_found_before_play_is_found_in_turns() -> None:
    machine = counter()
    player = started(machine, 3)
    before = player.line
    assert before is None
    player.choose(Budget.of(simulations=1_000))
    assert player.line is not None
    assert (player.line.goal, player.line.proven) == (100, True)


def test_another_line_is_looked_for_where_one_was_left() -> None:
    machine = counter()
    player = started(machine, 1_000)
    assert player.line is not None
    (other,) = set(machine.legal(machine.initial(), ALONE)) - {player.line.moves[0]}
    player.observe(Observation(other, machine.percepts(machine.initial(), [other], ALONE)))
    player.choose(Budget.of(simulations=1_000))
    assert player.line is not None
    assert (player.line.goal, player.line.proven, len(player.line.moves)) == (10, True, 6)


def test_uct_is_followed_where_it_promises_more_than_the_line_brings() -> None:
    machine = counter()
    player = started(machine, 3)
    before = player.legal_moves(Budget.of(simulations=1))
    assert len(before) == 2
    # Lines get 4 states, too few for one that ends; simulations get as many.
    assert player.choose(Budget.of(simulations=8)) in before
    assert player.line is None


def test_games_of_two_are_no_puzzles() -> None:
    machine = load("tic_tac_toe").machine
    player = started(machine, 64)
    assert player.line is None
    assert player.choose(Budget.of(simulations=64)) in machine.legal(machine.initial(), ALONE)


def test_walks_for_an_evaluation_are_left_out_where_playouts_take_the_clock() -> None:
    """Each reading of this clock takes a second, so that 64 timed playouts seem to take one."""
    player = started(counter(), 10)
    looks = count()
    slow = Budget(deadline=20.0, clock=lambda: float(next(looks)))
    assert not player._has_walks(slow)
    assert player._has_walks(Budget(deadline=HOUR, clock=lambda: 0.0))
    assert player._has_walks(Budget(simulations=1))
