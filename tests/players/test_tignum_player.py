"""`tignum` plays by methods: legal moves, from its own observations, the same for a seed."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from fogspiel.belief.exact import ExactBelief
from fogspiel.belief.positions import position_after, random_history
from fogspiel.belief.protocol import BeliefRequest
from fogspiel.core.budget import Budget
from fogspiel.core.findings import RulesError, UsageError
from fogspiel.core.terms import MoveId, Observation, RoleId
from fogspiel.games.library import bundled_games
from fogspiel.games.load import load
from fogspiel.machine.protocol import Machine, player_roles
from fogspiel.plan.games.relations import shipped_network, shipped_sources
from fogspiel.play.loop import Match, play_match
from fogspiel.players.catalogue import PLAYERS, make_player
from fogspiel.players.planning.tignum import TignumPlayer
from fogspiel.players.protocol import Agent, Seat

ANY = "tignum:(network any (others drawn)) (method any (task nil) (when (can ?m)) (do ?m))"
PLANNED = "tignum:(network any) (method any (task nil) (when (can ?m)) (do ?m))"
"""The same player, but with other roles' moves as nodes of the plan where they are seen."""
GAMES = (
    "tic_tac_toe",
    "goofspiel_4",
    "kuhn_poker",
    "latent_tic_tac_toe",
    "monty_hall",
    "simple_poker_pogddl",
)


def few() -> Budget:
    return Budget.of(simulations=64)


def played(machine: Machine, name: str, seed: int, rival: str = "random") -> Match:
    """A match of a player in the first role against another in all others."""
    first, *others = player_roles(machine)
    players: dict[RoleId, Agent] = {first: make_player(name)}
    players |= {other: make_player(rival) for other in others}
    return play_match(machine, players, start_budget=few, turn_budget=few, seed=seed)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("name", [ANY, PLANNED], ids=["drawn", "planned"])
def test_every_kind_of_game_is_played_by_legal_moves(name: str, game: str) -> None:
    machine = load(game).machine
    match = played(machine, name, seed=1)
    assert len(match.goals) == len(machine.roles)


def test_the_same_seed_and_budget_give_the_same_moves() -> None:
    machine = load("battleship_4").machine
    assert played(machine, "tignum", seed=4).joints == played(machine, "tignum", seed=4).joints


@pytest.mark.parametrize("name", [ANY, PLANNED], ids=["drawn", "planned"])
def test_a_choice_depends_on_what_the_role_saw_alone(name: str) -> None:
    machine, role = load("latent_tic_tac_toe").machine, RoleId(1)
    position = position_after(machine, random_history(machine, 5, seed=3), role)
    belief = ExactBelief(BeliefRequest(machine, role))
    belief.follow(position.observations)
    assert len(belief.enumerate(1_000).joints) > 1
    choices = []
    for _ in range(2):
        player = make_player(name)
        player.start(Seat(machine, role, 5), few())
        for observation in position.observations:
            player.observe(observation)
        choices.append(player.choose(few()))
    assert choices[0] == choices[1]


def test_a_move_is_made_in_time_however_short_it_is() -> None:
    machine = load("battleship_4").machine
    for seconds in (0.001, 0.05, 0.3):
        player = TignumPlayer()
        player.start(Seat(machine, RoleId(0), 1), Budget.of(seconds=1.0))
        player.legal_moves(Budget.of(seconds=1.0))
        began = time.process_time()
        move = player.choose(Budget.of(seconds=seconds, clock=time.process_time))
        assert move in machine.legal(machine.initial(), RoleId(0))
        assert time.process_time() - began < seconds + 0.05


def test_schemes_beat_chance() -> None:
    machine = load("battleship_4").machine
    goals = [played(machine, "tignum", seed).goals[0] for seed in range(4)]
    assert sum(goals) >= 300


def test_the_plan_tells_its_schemes_and_why_it_was_made_anew() -> None:
    machine = load("battleship_4").machine
    player = TignumPlayer()
    play_match(
        machine,
        {RoleId(0): player, RoleId(1): make_player("random")},
        start_budget=few,
        turn_budget=few,
        seed=2,
    )
    assert player.reason is None
    assert player.decision is not None
    assert player.decision.schemes[-1].title
    assert player.replannings


def test_a_move_that_was_put_in_its_place_ends_the_plan() -> None:
    machine = load("tic_tac_toe").machine
    player = make_player(ANY)
    assert isinstance(player, TignumPlayer)
    player.start(Seat(machine, RoleId(0), 5), few())
    chosen = player.choose(few())
    other = next(m for m in machine.legal(machine.initial(), RoleId(0)) if m != chosen)
    joint = [other, machine.legal(machine.initial(), RoleId(1))[0]]
    player.observe(Observation(other, machine.percepts(machine.initial(), joint, RoleId(0))))
    assert player.replannings[-1].detail == "another move counted as the role's own"


def test_where_no_method_applies_every_move_is_one() -> None:
    machine = load("tic_tac_toe").machine
    name = "tignum:(network shy) (method never (task nil) (when (true (control nobody))) (do noop))"
    player = make_player(name)
    assert isinstance(player, TignumPlayer)
    player.start(Seat(machine, RoleId(0), 5), few())
    assert player.choose(few()) in machine.legal(machine.initial(), RoleId(0))
    assert player.reason == "no method applies"


def test_a_plan_that_fails_costs_no_match(caplog: pytest.LogCaptureFixture) -> None:
    machine = load("latent_tic_tac_toe").machine
    cell = next(t for t in machine.fluent_terms(machine.initial()) if not isinstance(t, str))
    peek = f"(true ({cell[0]}{' ?x' * (len(cell) - 1)}))"
    name = f"tignum:(network peek) (method peek (task nil) (when {peek} (can ?m)) (do ?m))"
    assert played(machine, name, seed=3).goals
    assert all("without a plan" in record.message for record in caplog.records)


def test_faults_of_a_file_are_told_before_play(tmp_path: Path) -> None:
    path = tmp_path / "bad.methods"
    path.write_text("(network bad)\n(method a (task nil) (when (tunr ?a)) (do (marc 1 1)))\n")
    player = make_player(f"tignum:{path}")
    with pytest.raises(RulesError) as refused:
        player.start(Seat(load("tic_tac_toe").machine, RoleId(0), 1), few())
    assert [finding.code for finding in refused.value.findings] == ["PLN015", "PLN016"]
    assert "did you mean `mark`?" in str(refused.value)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("tignum:nodes=0", "PLY021"),
        ("tignum:nodes=many", "PLY021"),
        ("tignum:worlds=99999999999", "PLY021"),
        ("tignum:criterion=hope", "PLN022"),
        ("tignum:nodes=10,no_such.methods", "GAM002"),
        ("tignum:", "PLY021"),
        ("tignum:no/such/file.methods", "GAM002"),
    ],
)
def test_what_cannot_be_used_is_refused(name: str, code: str) -> None:
    with pytest.raises(UsageError, match=code):
        make_player(name)


def test_settings_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "any.methods"
    path.write_text(ANY.partition(":")[2])
    player = make_player(f"tignum:{path},criterion=hurwicz:0.5,nodes=50,worlds=8")
    machine = load("tic_tac_toe").machine
    player.start(Seat(machine, RoleId(0), 1), few())
    assert player.choose(Budget.of(simulations=10_000)) in range(machine.move_count(RoleId(0)))
    assert isinstance(player, TignumPlayer)
    assert player.decision is not None
    tree = player.following.execution.tree
    assert tree is not None
    assert tree.criterion == "hurwicz:0.5"
    assert 1 < len(tree.nodes) <= 50
    assert len(tree.root.situation.weights) == 8


def test_without_methods_the_player_says_what_to_do() -> None:
    player = make_player("tignum")
    with pytest.raises(UsageError, match=r"PLY007.*\n.*tignum:FILE"):
        player.start(Seat(load("tic_tac_toe").machine, RoleId(0), 1), few())


def test_it_is_not_among_those_that_play_every_game() -> None:
    assert "tignum" not in PLAYERS


def test_files_that_come_along_fit_their_games_and_no_others() -> None:
    assert [source.name for source in shipped_sources()] == [
        "battleship.methods",
        "battleship_4.methods",
    ]
    fitting = {"battleship_4": "battleship_4", "battleship(5,2)": "battleship"}
    small = [name for name, entry in bundled_games().items() if not entry.family][:8]
    for name in [*fitting, *small]:
        network = shipped_network(load(name).machine)
        assert (network and network.name) == fitting.get(name), name


def test_a_move_without_a_choice_needs_no_plan() -> None:
    machine = load("tic_tac_toe").machine
    player = make_player(ANY)
    assert isinstance(player, TignumPlayer)
    player.start(Seat(machine, RoleId(1), 1), few())
    assert player.choose(few()) == MoveId(machine.legal(machine.initial(), RoleId(1))[0])
    assert player.following.execution.tree is None
