"""Players choose legal moves from their observations, and the better ones win."""

from __future__ import annotations

from functools import cache

import pytest

from fogspiel.belief.exact import ExactBelief
from fogspiel.belief.positions import position_after, random_history
from fogspiel.belief.protocol import BeliefRequest
from fogspiel.core.budget import Budget
from fogspiel.core.findings import UsageError
from fogspiel.core.source import Source
from fogspiel.core.terms import RoleId, format_term
from fogspiel.games.load import load, load_source
from fogspiel.machine.protocol import Machine, player_roles
from fogspiel.play.loop import play_match
from fogspiel.players.catalogue import PLAYERS, make_player
from fogspiel.players.protocol import Agent, Seat

GAMES = ("tic_tac_toe", "goofspiel_4", "kuhn_poker", "latent_tic_tac_toe", "monty_hall", "lamps")

LAMPS = """
; Alone, without chance: light three lamps with six moves. The first can be switched; neighbours
; can change places.
(role keeper)
(after 0 1) (after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 6)
(beside a b) (beside b c)
(init (step 0))
(<= (legal keeper switch) (true (step ?s)))
(<= (legal keeper (exchange ?x ?y)) (beside ?x ?y))
(<= (next (step ?t)) (true (step ?s)) (after ?s ?t))
(<= (next (lit a)) (does keeper switch) (not (true (lit a))))
(<= (next (lit ?x)) (does keeper switch) (true (lit ?x)) (distinct ?x a))
(<= (next (lit ?y)) (does keeper (exchange ?x ?y)) (true (lit ?x)))
(<= (next (lit ?x)) (does keeper (exchange ?x ?y)) (true (lit ?y)))
(<= (next (lit c)) (does keeper (exchange a b)) (true (lit c)))
(<= (next (lit a)) (does keeper (exchange b c)) (true (lit a)))
(<= all_lit (true (lit a)) (true (lit b)) (true (lit c)))
(<= terminal (true (step 6)))
(<= (goal keeper 100) all_lit)
(<= (goal keeper 0) (not all_lit))
"""


@cache
def machine_of(game: str) -> Machine:
    """One machine for all players, as in a tournament."""
    return (
        load_source(Source("lamps.gdl", LAMPS)).machine if game == "lamps" else load(game).machine
    )


def few() -> Budget:
    return Budget.of(simulations=64)


def mean_goal(machine: Machine, name: str, opponent: str, role: int, games: int) -> float:
    """The goal of a player in one role, against another player in all others."""
    total = 0.0
    for seed in range(games):
        players: dict[RoleId, Agent] = {
            other: make_player(name if other == role else opponent)
            for other in player_roles(machine)
        }
        match = play_match(machine, players, start_budget=few, turn_budget=few, seed=seed)
        total += match.goals[role]
    return total / games


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("name", list(PLAYERS))
def test_every_player_plays_every_kind_of_game(name: str, game: str) -> None:
    machine = machine_of(game)
    goals = mean_goal(machine, name, "random", player_roles(machine)[0], games=1)
    assert 0 <= goals <= 100


@pytest.mark.parametrize(
    ("game", "name"), [("tic_tac_toe", "uct"), ("latent_tic_tac_toe", "ismcts")]
)
def test_search_beats_chance(game: str, name: str) -> None:
    assert mean_goal(machine_of(game), name, "random", role=0, games=10) >= 80


@pytest.mark.parametrize("name", ["auto", "norns-belief"])
def test_a_puzzle_is_solved(name: str) -> None:
    """The game has one player, and not even chance plays."""
    assert mean_goal(machine_of("lamps"), name, "random", role=0, games=3) == 100


@pytest.mark.parametrize("name", list(PLAYERS))
def test_a_choice_depends_on_what_the_role_saw_alone(name: str) -> None:
    """A player makes the same moves in two histories of one information set."""
    machine, role = machine_of("latent_tic_tac_toe"), RoleId(1)
    course = random_history(machine, 5, seed=3)
    position = position_after(machine, course, role)
    belief = ExactBelief(BeliefRequest(machine, role))
    belief.follow(position.observations)
    twins = belief.enumerate(1_000).joints
    assert len(twins) > 1
    for twin in (twins[0], twins[-1]):
        moves = [tuple(joint) for joint in twin.tolist()]
        assert position_after(machine, moves, role).observations == position.observations
    choices = []
    for _ in range(2):
        player = make_player(name)
        player.start(Seat(machine, role, 5), few())
        for observation in position.observations:
            player.observe(observation)
        choices.append(player.choose(few()))
    assert choices[0] == choices[1]


def test_an_unknown_player_is_refused() -> None:
    with pytest.raises(UsageError, match="PLY002"):
        make_player("nobody")


def test_sm_uct_plays_rock_as_shafiei_found() -> None:
    """Shafiei (2010), table 5.6: UCT plays rock every time, and so could be exploited."""
    machine = machine_of("biased_rps")
    for seed in range(5):
        for role in player_roles(machine):
            player = make_player("sm-uct")
            player.start(Seat(machine, role, seed), few())
            move = player.choose(Budget.of(simulations=2_000))
            assert format_term(machine.move_term(role, move)) == "rock"
