"""Histories of information sets a second: the exact method, beside a plain search in OpenSpiel.

Both find every history that fits what a player did and saw. The peer is what one would write with
OpenSpiel's Python interface: try each action, keep children whose information state for the player
is the one observed at that ply. Of ours two rates are taken: found, where histories that meet in a
state are counted and weighed together, as the method does; and listed, move by move.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from statistics import median
from typing import Any

from fogspiel.belief.exact import ExactBelief
from fogspiel.belief.positions import Position, position_after, random_history
from fogspiel.belief.protocol import BeliefRequest
from fogspiel.core.findings import LimitError
from fogspiel.core.terms import RoleId
from fogspiel.games.load import load
from fogspiel.lab.benchmarks.processes import Record, measure
from fogspiel.machine.protocol import Machine

ROUNDS = 3
TRIES = 150
PEER_TRIES = 40  #: Random positions of which the one with the most histories is measured
PEER_SECONDS = 10.0  #: A search of the peer that takes longer is no position to measure


@dataclass(frozen=True, slots=True)
class BeliefCase:
    """A position to measure: how deep, and the peer's game."""

    game: str
    role: str
    steps: int
    peer: str
    player: int
    plies: int
    """Plies of the peer. In Breakthrough fewer than our steps: 12 would take it hours."""
    required_ratio: float = 500.0


CASES = (
    BeliefCase("latent_tic_tac_toe", "o", 11, "phantom_ttt", 1, 9),
    BeliefCase("blind_breakthrough_6", "white", 12, "breakthrough(rows=6,columns=6)", 0, 6),
    BeliefCase("kuhn_poker", "first", 4, "kuhn_poker", 0, 4),
    BeliefCase("leduc_poker", "first", 8, "leduc_poker", 0, 7),
)


def compare(game: str, *, seconds: float) -> Record:
    """Rates of a game, measured in a process of its own."""
    return {"game": game, **measure("beliefs", 60 * seconds, game=game, seconds=seconds)}


def measure_beliefs(game: str, seconds: float) -> Record:
    """Measure the case of a game, with medians of alternating rounds."""
    case = next(case for case in CASES if case.game == game)
    machine = load(case.game).machine
    position, size = largest(machine, case)
    plain, peer_size = peer_search(case)

    def found() -> None:
        _advance(machine, position)

    def listed() -> None:
        _advance(machine, position).enumerate(size)

    runs = {"found": (found, size), "listed": (listed, size), "theirs": (plain, peer_size)}
    rates: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(ROUNDS):
        for name, (run, histories) in runs.items():
            rates[name].append(histories * _runs_a_second(run, seconds))
    ratio = median(rates["found"]) / median(rates["theirs"])
    return {
        "steps": len(position.observations),
        "histories": size,
        "histories_per_second": median(rates["found"]),
        "listed_per_second": median(rates["listed"]),
        "peer_game": case.peer,
        "peer_histories": peer_size,
        "peer_histories_per_second": median(rates["theirs"]),
        "rounds": rates,
        "ratio": ratio,
        "required_ratio": case.required_ratio,
        "meets": ratio >= case.required_ratio,
    }


def largest(machine: Machine, case: BeliefCase) -> tuple[Position, int]:
    """The position with the most histories, and how many there are."""
    role = RoleId(machine.roles.index(case.role))
    found: list[tuple[int, int, Position]] = []
    for seed in range(TRIES):
        position = position_after(machine, random_history(machine, case.steps, seed), role)
        try:
            size = _advance(machine, position).size()
        except LimitError:
            continue
        found.append((size or 0, -seed, position))
    size, _, position = max(found, key=lambda item: item[:2])
    return position, size


def _advance(machine: Machine, position: Position) -> ExactBelief:
    belief = ExactBelief(BeliefRequest(machine, position.role))
    belief.follow(position.observations)
    return belief


def peer_search(case: BeliefCase) -> tuple[Callable[[], int], int]:
    """A plain search at the position with the most histories, and how many there are."""
    import pyspiel

    game = pyspiel.load_game(case.peer)
    best: tuple[int, list[str]] = (0, [])
    for seed in range(PEER_TRIES):
        seen = _random_sights(game, case, Random(seed))
        began = time.perf_counter()
        size = _search(game, case.player, seen, began + PEER_SECONDS)
        if size > best[0]:
            best = size, seen
        if time.perf_counter() - began > PEER_SECONDS / 10:
            break
    size, seen = best
    return (lambda: _search(game, case.player, seen, float("inf"))), size


def _random_sights(game: Any, case: BeliefCase, rng: Random) -> list[str]:
    """The observations of a player in a random game, ply by ply."""
    state = game.new_initial_state()
    seen: list[str] = []
    while len(seen) < case.plies and not state.is_terminal():
        state.apply_action(rng.choice(state.legal_actions()))
        seen.append(_sight(state, case.player))
    return seen


def _search(game: Any, player: int, seen: list[str], deadline: float) -> int:
    """The number of histories with the same observations for the player."""
    states = [game.new_initial_state()]
    for expected in seen:
        following = []
        for state in states:
            if state.is_terminal() or time.perf_counter() > deadline:
                continue
            for action in state.legal_actions():
                child = state.child(action)
                if _sight(child, player) == expected:
                    following.append(child)
        states = following
    return len(states)


def _sight(state: Any, player: int) -> str:
    """What a player saw so far; in a game that hides nothing, as if it were blind, its moves."""
    if state.get_game().get_type().provides_information_state_string:
        return str(state.information_state_string(player))
    return str([move.action for move in state.full_history() if move.player == player])


def _runs_a_second(run: Callable[[], object], seconds: float) -> float:
    run()
    began = time.process_time()
    runs = 0
    while (used := time.process_time() - began) < seconds:
        run()
        runs += 1
    return runs / used
