"""Players that search or learn use time before play, forced turns, and time in which others move.

The clock counts how often it is read, so that nothing depends on the speed of the machine: budgets
of seconds end after a number of looks at the clock. What was done is counted in simulations.
"""

from __future__ import annotations

import pytest

from fogspiel.core.budget import Budget
from fogspiel.core.terms import RoleId
from fogspiel.games.load import load
from fogspiel.lab.framework.matches import Handicapped
from fogspiel.machine.knowledge import observation_of
from fogspiel.machine.protocol import Machine
from fogspiel.players.auto import AutoPlayer
from fogspiel.players.catalogue import ALL_PLAYERS, make_player
from fogspiel.players.modelling.bayes import AnswerPlayer, BayesPlayer
from fogspiel.players.planning.tignum import TignumPlayer
from fogspiel.players.protocol import Agent, Seat, Thinks
from fogspiel.players.searching.hyperplay import Hyperplay2Player, HyperplayPlayer
from fogspiel.players.searching.search_player import SearchPlayer
from fogspiel.players.solving.lookahead import LookaheadPlayer
from fogspiel.players.solving.sdpog import DomisPlayer
from fogspiel.players.solving.strategy_player import StrategyPlayer

SECONDS, TICK = 1.0, 0.01
MOST_OF_IT = 0.9 * SECONDS
FINE_TICK, MUCH_OF_IT = 0.0005, 0.75 * SECONDS
"""Tick and share of `norns-belief`, which looks at the clock before each belief that it follows: by
this clock a round of its search takes long, and none is begun that would be late."""
OPEN, HIDDEN = "tic_tac_toe", "kuhn_poker"
SEATS = {OPEN: RoleId(1), HIDDEN: RoleId(2)}
"""Roles that have no choice in the first step."""

IDLE = {
    "random": "it plays uniformly at random",
    "first": "it looks at its legal moves alone",
    "scripted": "it follows a script",
    "tignum": "it needs methods, and is tested by itself",
    "sdpog": "it makes a fixed number of simulations from each history of a choice",
    "hyperplay": "its playouts say something about the present choice alone",
}
"""Players that have nothing to do ahead in these games, and why."""
SOLVED = {
    OPEN: ("sm-lp", "cfr", "sm-lp:safe=5"),
    HIDDEN: ("auto", "solved", "exploit", "belp"),
}
"""Players that have solved the whole game before the clock is over, and need no more time."""
MODELLED = {HIDDEN: ("domis",)}
"""Players that have modelled every decision of their opponents before the clock is over."""
NAMES = [*(name for name in ALL_PLAYERS if name not in IDLE), "sm-lp:safe=5"]
CASES = [*((game, name) for game in (OPEN, HIDDEN) for name in NAMES), (HIDDEN, "cfr:trust=0.5")]


class Clock:
    """A clock that goes on when it is read, and counts seconds."""

    def __init__(self, tick: float = TICK) -> None:
        self.now, self._tick = 0.0, tick

    def __call__(self) -> float:
        self.now += self._tick
        return self.now

    def budget(self) -> Budget:
        return Budget.of(seconds=SECONDS, clock=self)


def clock_for(name: str) -> Clock:
    return Clock(FINE_TICK if name == "norns-belief" else TICK)


def started(name: str, machine: Machine, role: RoleId, clock: Clock) -> Agent:
    player = make_player(name)
    player.start(Seat(machine, role, 3), clock.budget())
    return player


def chosen_by_auto(player: Agent) -> Agent:
    return player._player if isinstance(player, AutoPlayer) else player


def work(player: Agent) -> int:
    """Simulations so far; for `domis`, decisions of its opponents that it has modelled."""
    inner = chosen_by_auto(player)
    if isinstance(inner, DomisPlayer):
        return len(inner._decisions)
    assert isinstance(inner, SearchPlayer | Hyperplay2Player)
    return inner._search.simulations


def has_solved(player: Agent) -> bool:
    inner = chosen_by_auto(player)
    if isinstance(inner, LookaheadPlayer):
        return inner.outlook is not None and inner.outlook.is_whole
    return isinstance(inner, StrategyPlayer) and inner._book is not None


@pytest.mark.parametrize(("game", "name"), CASES)
def test_the_clock_before_play_and_forced_turns_are_used(game: str, name: str) -> None:
    machine, clock = load(game).machine, clock_for(name)
    player = started(name, machine, SEATS[game], clock)
    if name in SOLVED[game]:
        assert has_solved(player)
        return
    before_play = work(player)
    assert before_play > 0
    if name in MODELLED.get(game, ()):
        return
    least = MUCH_OF_IT if name == "norns-belief" else MOST_OF_IT
    assert clock.now >= least
    began = clock.now
    player.choose(clock.budget())
    assert clock.now - began >= least
    assert work(player) > before_play


@pytest.mark.parametrize(("game", "name"), CASES)
def test_players_think_while_others_move_and_play_on(game: str, name: str) -> None:
    """They go on from the initial state first, then from the information set of their last turn."""
    if name in SOLVED[game] or name == "domis":
        pytest.skip("it does not think while others move")
    machine, clock, role = load(game).machine, clock_for(name), SEATS[game]
    player = started(name, machine, role, clock)
    assert isinstance(player, Thinks)
    state, joint = machine.initial(), []
    for _ in range(2):
        before = work(player)
        player.ponder(Budget.of(simulations=20))
        assert work(player) >= before + 20
        legal = machine.legal(state, role)
        move = player.choose(clock.budget())
        assert move in legal
        joint = [machine.legal(state, RoleId(other))[0] for other in range(len(machine.roles))]
        joint[role] = move
        player.observe(observation_of(machine, state, joint, role))
        state = machine.step(state, joint)
    player.stop()


@pytest.mark.parametrize("name", ["uct", "ismcts", "shodan", "oos", "norns-belief", "bayes", "cfr"])
def test_a_budget_of_simulations_is_for_choices_alone(name: str) -> None:
    machine, role = load(HIDDEN).machine, SEATS[HIDDEN]
    player, few = make_player(name), Budget.of(simulations=30)
    player.start(Seat(machine, role, 3), few)
    before = work(player)
    assert before == (30 if name == "bayes" else 0)
    player.choose(few)
    assert work(player) == before


def test_a_player_with_a_handicap_thinks_with_its_part() -> None:
    player = Handicapped(make_player("uct"), 4)
    assert isinstance(player, Thinks)
    player.start(Seat(load(OPEN).machine, RoleId(0), 3), Clock().budget())
    before = work(player._player)
    player.ponder(Budget.of(simulations=40))
    assert work(player._player) == before + 10


def test_hyperplay_makes_playouts_for_a_choice_in_the_first_step() -> None:
    clock = Clock()
    player = started("hyperplay", load(OPEN).machine, RoleId(0), clock)
    assert isinstance(player, HyperplayPlayer)
    assert player._first_goals is not None
    assert clock.now >= MOST_OF_IT
    before_play = player._first_goals.playouts
    player.choose(clock.budget())
    assert player._first_goals.playouts > before_play > 0


@pytest.mark.parametrize("name", NAMES)
def test_a_clock_that_is_over_at_once_leaves_a_legal_move(name: str) -> None:
    machine, role = load(HIDDEN).machine, SEATS[HIDDEN]
    over, player = Budget.of(seconds=1e-6, clock=Clock()), make_player(name)
    player.start(Seat(machine, role, 3), over)
    assert player.choose(over) in machine.legal(machine.initial(), role)
    if isinstance(player, Thinks):
        player.ponder(over)


def test_answer_finds_its_first_move_before_play(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its 5,478 states are the beliefs of tic-tac-toe, and far more than a short turn allows."""
    clock = Clock()
    player = started("answer", load(OPEN).machine, RoleId(0), clock)
    assert isinstance(player, AnswerPlayer)
    monkeypatch.delattr(BayesPlayer, "searched")
    player.choose(Budget.of(seconds=0.05 * SECONDS, clock=clock))


def test_tignum_plans_its_first_move_before_play() -> None:
    clock = Clock()
    player = started("tignum", load("battleship_4").machine, RoleId(0), clock)
    assert isinstance(player, TignumPlayer)
    plan = player.following.execution.tree
    assert plan is not None
    move = player.choose(clock.budget())
    assert player.following.execution.tree is plan
    assert player.reason is None
    assert move in player.legal_moves()


def test_memory_is_not_exceeded_while_others_move() -> None:
    machine = load("latent_tic_tac_toe").machine
    player = make_player("ismcts:memory=1")
    assert isinstance(player, SearchPlayer)
    player.start(Seat(machine, RoleId(0), 3), Clock().budget())
    player.ponder(Budget.of(simulations=2_000))
    before = player._search.simulations
    player.ponder(Budget.of(simulations=20_000))
    assert player._search.simulations == before + 20_000
    assert player._search.bytes <= 1 << 20
