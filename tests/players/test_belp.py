"""BELP finds the equilibrium of small games, even from parts of trees that it generates itself."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from fogspiel.belief.positions import position_after
from fogspiel.core.budget import Budget
from fogspiel.core.terms import MoveId, RoleId
from fogspiel.games.load import load
from fogspiel.machine.compiled.machine import CompiledMachine
from fogspiel.machine.protocol import Machine, player_roles
from fogspiel.play.loop import play_match
from fogspiel.players.catalogue import make_player
from fogspiel.players.protocol import Agent, Seat
from fogspiel.players.searching.search_player import SearchPlayer
from fogspiel.players.solving.belp import BelpPlayer
from fogspiel.players.solving.entries import FALLBACK
from fogspiel.players.solving.partial_tree import PartialTree
from fogspiel.players.solving.sdpog import some_histories
from fogspiel.solve.result import uniform
from fogspiel.solve.strategy_value import strategy_value
from fogspiel.tree.build.build import build
from fogspiel.tree.game_tree import ObservationText, observation_text

Course = tuple[tuple[MoveId, ...], ...]


def budget(simulations: int = 5_000) -> Budget:
    return Budget.of(simulations=simulations)


def courses(machine: Machine) -> list[Course]:
    """All non-terminal histories of a small game."""
    found: list[Course] = []
    ahead: list[tuple[Course, np.ndarray]] = [((), machine.initial())]
    while ahead:
        course, state = ahead.pop()
        if machine.terminal(state):
            continue
        found.append(course)
        expansion = machine.expand(state)
        for joint, following in zip(expansion.joints.tolist(), expansion.states, strict=True):
            ahead.append(((*course, tuple(map(MoveId, joint))), following))
    return found


def player_at(machine: Machine, course: Course, role: RoleId) -> BelpPlayer:
    """A player that solves parts only, at the information set of a history."""
    player = BelpPlayer(None, FALLBACK)
    player.start(Seat(machine, role, 1), budget())
    for observation in position_after(machine, list(course), role).observations:
        player.observe(observation)
    return player


def induced(machine: Machine) -> dict[tuple[str, tuple[ObservationText, ...]], np.ndarray]:
    """The player's mixed action at every information set: definition 4 of Richards (2012)."""
    decisions: dict[tuple[str, tuple[ObservationText, ...]], np.ndarray] = {}
    for course in courses(machine):
        for role in player_roles(machine):
            player = player_at(machine, course, role)
            sights = tuple(observation_text(machine, role, own) for own in player.observations)
            key = machine.roles[role], sights
            if key not in decisions and len(player.legal_moves()) > 1:
                mixture = player.by_part(budget())
                assert mixture is not None
                decisions[key] = mixture
    return decisions


@pytest.mark.parametrize("game", ["kuhn_poker", "simple_poker"])
def test_decisions_by_themselves_make_an_equilibrium(game: str) -> None:
    """Theorem 5: if all leaves are terminal states, the strategy is an equilibrium."""
    machine = load(game).machine
    tree = build(machine)
    strategy, names = uniform(tree), tree.infosets.names
    decisions = induced(machine)
    assert len(decisions) == len(tree.infosets)
    for infoset in range(len(tree.infosets)):
        role = tree.players[int(tree.infosets.players[infoset]) - 1]
        strategy.at(infoset)[:] = decisions[role, names.observations(infoset) or ()]
    assert strategy_value(tree, uniform(tree)).exploitability > 1.0
    # In goals, of which 25 are an ante in Kuhn poker.
    assert strategy_value(tree, strategy).exploitability < 1e-3


def test_a_part_holds_all_ways_to_what_is_possible_and_ends_elsewhere() -> None:
    machine = load("latent_tic_tac_toe").machine
    role = RoleId(1)
    course = tuple(
        (machine.legal(state, RoleId(0))[0], machine.legal(state, role)[0])
        for state in [machine.initial()]
    )
    player = player_at(machine, course, role)
    histories = some_histories(player.belief, 100, 0)
    fragment = PartialTree(machine, 1, budget(30))
    fragment.grow(histories)
    assert 30 <= fragment.size < 200
    assert not fragment.cut(machine.initial()[None, :], 0).any()
    assert fragment.cut(machine.initial()[None, :], 1).all()
    asked: list[int] = []

    def even(states: np.ndarray) -> np.ndarray:
        asked.append(len(states))
        return np.full((len(states), 2), 50.0)

    tree = build(machine, cut=fragment.cut, evaluate=even)
    assert sum(asked) > 0
    assert len(tree) < 10_000


@pytest.mark.parametrize("game", ["latent_tic_tac_toe", "hidden_goofspiel_5", "racko_12_3"])
def test_large_games_are_played_by_parts(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = load(game).machine
    roles = player_roles(machine)
    player = BelpPlayer(None, FALLBACK)
    players: dict[RoleId, Agent] = {roles[0]: player, roles[1]: make_player("random")}
    # A search would take over silently where the part does not hold the decision.
    monkeypatch.delattr(SearchPlayer, "mixture")
    match = play_match(
        machine,
        players,
        start_budget=lambda: budget(50),
        turn_budget=lambda: budget(50),
        seed=2,
    )
    assert len(match.joints) > 0
    assert player.reason is None


def test_parts_beat_random_play() -> None:
    machine, total = load("latent_tic_tac_toe").machine, 0
    for seed in range(6):
        players: dict[RoleId, Agent] = {
            RoleId(0): BelpPlayer(None, FALLBACK),
            RoleId(1): make_player("random"),
        }
        match = play_match(
            machine,
            players,
            start_budget=lambda: budget(100),
            turn_budget=lambda: budget(100),
            seed=seed,
        )
        total += match.goals[0]
    # Random play gets 65 of 100 in the same seat.
    assert total / 6 >= 80


def test_the_clock_is_kept_where_joint_moves_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock counts joint moves, a million a second, and playouts, a hundred thousand."""
    work = {"step_batch": 1e-6, "expand": 1e-3, "playouts": 1e-5}
    spent = [0.0]

    def counted(name: str, seconds: float) -> Callable[..., Any]:
        method = getattr(CompiledMachine, name)

        def called(machine: CompiledMachine, states: Any, *rest: Any, **options: Any) -> Any:
            rows = 1 if name == "expand" else len(states)
            spent[0] += seconds * rows * options.get("count", 1)
            return method(machine, states, *rest, **options)

        return called

    for name, seconds in work.items():
        monkeypatch.setattr(CompiledMachine, name, counted(name, seconds))
    machine = load("smallest").machine
    player = BelpPlayer(None, FALLBACK)
    timed = partial(Budget.of, seconds=0.3, clock=lambda: spent[0])
    player.start(Seat(machine, RoleId(0), 1), timed())
    given = timed()
    assert player.choose(given) in machine.legal(machine.initial(), RoleId(0))
    assert -0.05 < given.seconds_left < 0.29


def test_many_joint_moves_to_few_states_use_up_the_budget_too() -> None:
    """Smallest has a thousand joint moves in every step, which lead to a handful of states."""
    machine = load("smallest").machine
    player = player_at(machine, (), player_roles(machine)[0])
    fragment = PartialTree(machine, 1, budget(20))
    fragment.grow(some_histories(player.belief, 100, 0))
    assert fragment.size < 20
    assert not fragment.cut(machine.initial()[None, :], 0).any()
