"""Random playouts a second on one core, ours and OpenSpiel's in turn, by the processor's clock.

OpenSpiel's are made in C++: a tree search of one simulation whose evaluator makes n rollouts is a
single call for n playouts, the fastest way that its Python package offers.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

from fogspiel.core.findings import UsageError
from fogspiel.lab.benchmarks.processes import Record, measure, peak_memory_bytes

ROUNDS = 3  #: The fewest rounds whose median ignores one that was disturbed
FIRST_COUNT = 65  #: More than one word of lanes, so that the kernels of the measurement are loaded
MAX_COUNT = 1 << 24
NO_OPENSPIEL = "OpenSpiel is not installed"
INSTALL_OPENSPIEL = "pip install 'fogspiel[interop]'"


@dataclass(frozen=True, slots=True)
class Peer:
    """A game of OpenSpiel that is compared with one of ours."""

    game: str
    required_ratio: float
    """The number of our playouts that must be made in the time of one of theirs."""


GOOFSPIEL = "goofspiel(num_cards=5,points_order=descending,returns_type=win_loss)"

PEERS = {
    "tic_tac_toe": Peer("tic_tac_toe", 60),
    "connect_four": Peer("connect_four", 70),
    "breakthrough_8": Peer("breakthrough(rows=8,columns=8)", 45),
    "othello": Peer("othello", 120),
    # Rollouts need moves in turn; the wrapper makes them so and hides the first from the second.
    "goofspiel_5": Peer(f"turn_based_simultaneous_game(game={GOOFSPIEL})", 60),
    "latent_tic_tac_toe": Peer("phantom_ttt", 70),
    "kuhn_poker": Peer("kuhn_poker", 30),
    "hex_9": Peer("hex(board_size=9)", 10),
    "chess": Peer("chess", 3),
    # OpenSpiel stops after 50 shots a side, ours only when a fleet is sunk.
    "battleship_10": Peer("battleship", 50),
}
REQUIRED_RATES = {"racko_60_10": 20_000.0, "gops_10_40": 20_000.0}
"""Playouts a second that games without a peer must reach."""


def compare(game: str, *, beside: bool, seconds: float, rounds: int) -> Record:
    """Rates of a game, measured in a process of its own, and whether they are what is required.

    beside: whether OpenSpiel is measured too, where it has the game.
    """
    peer = PEERS.get(game) if beside else None
    answer = measure(
        "playouts",
        20 * rounds * seconds,
        game=game,
        peer_game=peer.game if peer else None,
        seconds=seconds,
        rounds=rounds,
    )
    record = {"game": game, **answer}
    if peer is not None:
        record |= {"peer_game": peer.game, "required_ratio": peer.required_ratio}
        if record["ok"]:
            record["meets"] = record["ratio"] >= peer.required_ratio
    elif game in REQUIRED_RATES:
        record["required_rate"] = REQUIRED_RATES[game]
        if record["ok"]:
            record["meets"] = record["playouts_per_second"] >= REQUIRED_RATES[game]
    return record


def measure_playouts(game: str, peer_game: str | None, seconds: float, rounds: int) -> Record:
    """Measure a game, and OpenSpiel's if one is named, in alternating rounds."""
    from fogspiel.games.load import load

    began = time.perf_counter()
    loaded = load(game)
    load_seconds = time.perf_counter() - began
    machine, start = loaded.machine, loaded.machine.initial()[None, :]
    seed = 0

    def ours(count: int) -> None:
        nonlocal seed
        seed += 1
        machine.playouts(start, seed=seed, count=count)

    count = _calibrated(ours, seconds, slow=machine.engine == "reference")
    runs: dict[str, tuple[Callable[[int], None], int]] = {"ours": (ours, count)}
    record: Record = {
        "engine": machine.engine,
        "load_seconds": load_seconds,
        # Taken before the peer is imported: it is of Fogspiel alone.
        "peak_memory_bytes": peak_memory_bytes(),
    }
    if peer_game is not None:
        theirs = rollouts(peer_game)
        runs["theirs"] = (theirs, _calibrated(theirs, seconds))
    rates: dict[str, list[float]] = {side: [] for side in runs}
    for _ in range(max(ROUNDS, rounds)):
        for side, (run, count) in runs.items():
            rates[side].append(_rate(run, count, seconds))
    record["rounds"] = rates
    record["playouts_per_second"] = median(rates["ours"])
    if peer_game is not None:
        record["peer_playouts_per_second"] = median(rates["theirs"])
        record["ratio"] = median(rates["ours"]) / median(rates["theirs"])
    return record


def _calibrated(run: Callable[[int], None], seconds: float, *, slow: bool = False) -> int:
    """A number of playouts that takes a good part of a round: ends of runs idle some lanes."""
    count = 1 if slow else FIRST_COUNT
    run(count)
    while count < MAX_COUNT:
        began = time.process_time()
        run(count)
        used = time.process_time() - began
        if used >= seconds / 4:
            break
        count *= 2
    return count


def _rate(run: Callable[[int], None], count: int, seconds: float) -> float:
    """Playouts a second of processor time, over at least `seconds` of it."""
    began = time.process_time()
    played = 0
    while (used := time.process_time() - began) < seconds:
        run(count)
        played += count
    return played / used


def has_openspiel() -> bool:
    """Whether OpenSpiel is installed."""
    return importlib.util.find_spec("pyspiel") is not None


def require_openspiel() -> None:
    """Raise `UsageError` BEN004 where OpenSpiel is not installed."""
    if not has_openspiel():
        raise UsageError.of("BEN004", NO_OPENSPIEL, fix=INSTALL_OPENSPIEL)


def turn_taking(game: str) -> Any:
    """A game of OpenSpiel in which players move in turn; simultaneous moves are made so."""
    import pyspiel

    loaded = pyspiel.load_game(game)
    if loaded.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        return pyspiel.convert_to_turn_based(loaded)
    return loaded


def first_decision(game: Any) -> Any:
    """The first state of a game of OpenSpiel in which a player moves.

    Chance makes its first moves: the deal is skipped, to OpenSpiel's advantage.
    """
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    return state


def rollouts(game: str) -> Callable[[int], None]:
    """A function that makes n random playouts of a game of OpenSpiel."""
    import pyspiel

    loaded = pyspiel.load_game(game)
    state = first_decision(loaded)
    bots: dict[int, object] = {}

    def run(count: int) -> None:
        if count not in bots:
            evaluator = pyspiel.RandomRolloutEvaluator(count, 3)
            bots[count] = pyspiel.MCTSBot(loaded, evaluator, 1.4, 1, 64, False, 5, False)
        bots[count].mcts_search(state)  # type: ignore[attr-defined]  # pyspiel has no types

    return run
