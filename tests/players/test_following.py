"""Players that follow a strategy draw moves by its probabilities, and search where it has none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fogspiel.core.budget import Budget
from fogspiel.core.findings import UsageError
from fogspiel.core.terms import RoleId, format_term
from fogspiel.core.values import Unit
from fogspiel.games.load import load
from fogspiel.machine.protocol import Machine, player_roles
from fogspiel.play.loop import play_match
from fogspiel.players.catalogue import make_player
from fogspiel.players.protocol import Agent, Seat
from fogspiel.players.solving.strategy_player import StrategyPlayer
from fogspiel.solve.files.strategy_file import write_strategy
from fogspiel.solve.files.strategy_table import Origin, StrategyFile, role_strategies
from fogspiel.solve.response.restricted_nash import ModelledGame
from fogspiel.solve.result import uniform
from fogspiel.tree.build.build import build


def few() -> Budget:
    return Budget.of(simulations=16)


def goals_of(machine: Machine, names: dict[RoleId, str], games: int) -> np.ndarray:
    """The goals of all roles in some games, (games, roles)."""
    goals = []
    for seed in range(games):
        players: dict[RoleId, Agent] = {role: make_player(name) for role, name in names.items()}
        match = play_match(machine, players, start_budget=few, turn_budget=few, seed=7 * seed)
        goals.append(match.goals)
    return np.array(goals)


def first_choices(machine: Machine, name: str, count: int) -> dict[str, float]:
    """The frequency of each first move of the first role, over seeds."""
    made: dict[str, float] = {}
    for seed in range(count):
        player = make_player(name)
        player.start(Seat(machine, RoleId(0), seed), few())
        move = format_term(machine.move_term(RoleId(0), player.choose(few())))
        made[move] = made.get(move, 0.0) + 1.0 / count
    return made


def test_solved_mixes_as_the_equilibrium_of_a_matrix_says() -> None:
    """Shafiei (2010), section 3.6.1: rock 1/16, paper 10/16, scissors 5/16, and no other."""
    made = first_choices(load("biased_rps").machine, "solved", 400)
    expected = {"rock": 0.0625, "paper": 0.625, "scissors": 0.3125}
    for move, share in expected.items():
        deviation = (share * (1.0 - share) / 400) ** 0.5
        assert made.get(move, 0.0) == pytest.approx(share, abs=4 * deviation)


def test_solved_against_itself_gets_the_value_of_kuhn_poker() -> None:
    """Kuhn (1950): the first player loses 1/18 of an ante a game; 25 goals are one ante."""
    machine = load("kuhn_poker").machine
    first, second = player_roles(machine)
    goals = goals_of(machine, {first: "solved", second: "solved"}, 300)[:, first]
    error = goals.std() / len(goals) ** 0.5
    assert goals.mean() == pytest.approx(50 - 25 / 18, abs=3.5 * error)


@pytest.mark.parametrize("seat", [0, 1])
def test_exploit_gets_from_random_play_what_was_computed(seat: int) -> None:
    machine = load("kuhn_poker").machine
    tree = build(machine)
    reply = ModelledGame(tree, uniform(tree), seat).restricted(0.9)
    roles = player_roles(machine)
    names = {roles[seat]: "exploit:0.9", roles[1 - seat]: "random"}
    goals = goals_of(machine, names, 250)[:, roles[seat]]
    error = goals.std() / len(goals) ** 0.5
    assert reply.exploitation > 55
    assert goals.mean() == pytest.approx(reply.exploitation, abs=3.5 * error)


def test_a_saved_strategy_is_followed(tmp_path: Path) -> None:
    """A strategy that always plays scissors, though no equilibrium does."""
    machine = load("biased_rps").machine
    tree = build(machine)
    strategy = uniform(tree)
    names = tree.infosets.names
    for infoset in range(len(tree.infosets)):
        strategy.at(infoset)[:] = [action == "scissors" for action in names.actions(infoset)]
    origin = Origin(
        game="biased_rps",
        rules_digest="sha256:none",
        roles=tree.players,
        unit=Unit("goals", 0.0, 1.0),
        values=(50.0, 50.0),
        exploitability=0.0,
        method="by hand",
        parameters={},
        iterations=1,
        seconds=0.0,
    )
    path = tmp_path / "scissors.json"
    write_strategy(StrategyFile(origin=origin, roles=role_strategies(tree, strategy)), path)
    assert first_choices(machine, f"solved:{path}", 20) == {"scissors": pytest.approx(1.0)}


def test_a_game_that_is_too_large_is_searched_and_the_reason_told() -> None:
    machine = load("connect_four").machine
    player = make_player("solved")
    assert isinstance(player, StrategyPlayer)
    player.start(Seat(machine, RoleId(0), 1), few())
    assert player.choose(few()) in machine.legal(machine.initial(), RoleId(0))
    assert player.reason is not None
    assert "TRE001" in player.reason


@pytest.mark.parametrize("name", ["exploit:2", "exploit:much", "random:1"])
def test_an_argument_that_cannot_be_used_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="PLY021"):
        make_player(name)
