"""A plan is followed through the steps of a match until it ends or is left."""

from __future__ import annotations

from fogspiel.core.budget import Budget
from fogspiel.core.source import Source
from fogspiel.core.terms import GroundTerm, RoleId
from fogspiel.games.load import load
from fogspiel.machine.protocol import Machine, player_roles
from fogspiel.plan.language.reading import sound_network
from fogspiel.plan.tree.executing import Reason
from fogspiel.play.loop import Match, play_match
from fogspiel.players.catalogue import make_player
from fogspiel.players.planning.tignum import TignumPlayer
from fogspiel.players.protocol import Agent

DIAGONAL = """
(network diagonal (others drawn))
(method lay_out (task nil) (when (can (place ?s ?d ?x ?y))) (do (place ?s ?d ?x ?y)))
(method sweep (task nil)
  (when (turn ?me) (can (shoot 1 1)))
  (expand (fire ?me 1 1) (fire ?me 2 2) (fire ?me 3 3) (fire ?me 4 4)))
(method fire (task (fire ?me ?x ?y)) (when (can (shoot ?x ?y))) (do (shoot ?x ?y)))
(method rest (task nil) (when (not (can (shoot 1 1))) (can (shoot ?x ?y))) (do (shoot ?x ?y)))
"""
BETS = """
(network bets)
(method any (task nil) (when (turn ?who) (can ?move)) (do ?move))
"""


def played(
    machine: Machine, player: TignumPlayer, seed: int, simulations: int = 2_000
) -> tuple[Match, RoleId]:
    """A match of the player in the first role against random play."""

    def budget() -> Budget:
        return Budget.of(simulations=simulations)

    first, *others = player_roles(machine)
    players: dict[RoleId, Agent] = {first: player}
    players |= {other: make_player("random") for other in others}
    match = play_match(machine, players, start_budget=budget, turn_budget=budget, seed=seed)
    return match, first


def moves_of(machine: Machine, match: Match, role: RoleId) -> list[GroundTerm]:
    return [machine.move_term(role, joint[role]) for joint in match.joints]


def test_tasks_outlive_what_others_do_in_between() -> None:
    machine = load("battleship_4").machine
    for seed in range(3):
        player = TignumPlayer(network=sound_network(Source("diagonal", DIAGONAL)))
        match, role = played(machine, player, seed)
        shots = [move[1:] for move in moves_of(machine, match, role) if move[0] == "shoot"]
        assert shots[:4] == [("1", "1"), ("2", "2"), ("3", "3"), ("4", "4")][: len(shots)]
        assert len(shots) > 3
        assert {given_up.reason for given_up in player.replannings} <= {Reason.ENDED}


def test_moves_that_are_seen_are_followed_and_a_whole_plan_is_made_once() -> None:
    machine = load("kuhn_poker").machine
    long = 0
    for seed in range(12):
        player = TignumPlayer(network=sound_network(Source("bets", BETS)))
        match, role = played(machine, player, seed, simulations=20_000)
        own = [move for move in moves_of(machine, match, role) if move != "noop"]
        long += len(own) > 1
        assert player.replannings == []
        assert player.reason is None
    assert long, "a first player who checks may have to answer a bet"
