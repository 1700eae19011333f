"""`parts` is optimal where a game has independent parts, and searches elsewhere."""

from __future__ import annotations

from functools import partial

import pytest

from fogspiel.core.budget import Budget
from fogspiel.core.terms import RoleId
from fogspiel.games.load import load
from fogspiel.machine.knowledge import observation_of
from fogspiel.machine.protocol import Machine
from fogspiel.play.series import Entrant, Series, play_series
from fogspiel.players.catalogue import make_player
from fogspiel.players.protocol import Seat
from fogspiel.players.searching.parts import PartsPlayer
from fogspiel.search.mcts.roots import first_roots
from fogspiel.search.mcts.statistics import root_statistics
from part_games import DIALS, ONE_DIAL_MATTERS, TWO_BOARDS, machine_of

FEW = Budget(simulations=20)


def series(machine: Machine, *names: str, games: int, simulations: int = 20) -> Series:
    return play_series(
        machine,
        [Entrant(name, partial(make_player, name)) for name in names],
        games=games,
        turn_budget=partial(Budget.of, simulations=simulations),
        seed=4,
        swap=len(names) > 1,
    )


def started(machine: Machine) -> PartsPlayer:
    player = make_player("parts")
    assert isinstance(player, PartsPlayer)
    player.start(Seat(machine, RoleId(0), 1), FEW)
    return player


@pytest.mark.parametrize("text", [DIALS, ONE_DIAL_MATTERS], ids=["dials", "one dial"])
def test_plans_are_carried_out(text: str) -> None:
    totals = series(machine_of(text), "parts", games=2).totals()
    assert totals[0].mean_goal == 100


def test_a_plan_that_was_not_followed_is_forgotten() -> None:
    machine = machine_of(DIALS)
    player = started(machine)
    assert player.plan is not None
    other = next(
        m for m in machine.legal(machine.initial(), RoleId(0)) if m != player.plan.moves[0]
    )
    player.observe(observation_of(machine, machine.initial(), [other], RoleId(0)))
    after = machine.step(machine.initial(), [other])
    assert player.choose(FEW) in machine.legal(after, RoleId(0))


def test_nim_is_won_from_the_second_seat_and_whenever_the_other_errs() -> None:
    """Heaps of 1, 3, 5 and 7 are lost for the first player (Bouton 1902)."""
    results = series(load("nim").machine, "parts", "random", games=10).results()
    second = next(r for r in results if r.player == "parts" and r.role == "second")
    assert second.mean_goal == 100


def test_what_does_not_matter_is_left_out_of_the_search() -> None:
    machine = machine_of(TWO_BOARDS)
    player = started(machine)
    assert player.plan is None
    assert player.sum is None
    shares = player.mixture(FEW)
    assert len(shares) == len(machine.legal(machine.initial(), RoleId(0))) == 12
    ((_, found),) = root_statistics(player._search, first_roots(player._search.machine), RoleId(0))
    assert len(found.moves) == 4
    totals = series(machine, "parts", "random", games=10, simulations=50).totals()
    assert totals[0].mean_goal > 70


def test_games_of_one_part_are_played_as_uct_plays_them() -> None:
    for name in ("tic_tac_toe", "kuhn_poker"):
        machine = load(name).machine
        mine = [r.mean_goal for r in series(machine, "parts", "random", games=4).results()]
        theirs = [r.mean_goal for r in series(machine, "uct", "random", games=4).results()]
        assert mine == theirs
