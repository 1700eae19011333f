"""Simulations a second of our searches, beside OpenSpiel's, by the processor's clock.

A round is a new search from the first position in which somebody has a choice, with all that it
keeps still to be made. Ours and the peer's take turns, so that both meet the same machine.

A rollout is one random game to its end. Ours are counted as they are made: several where a
simulation of `uct` leaves the tree, none where one ends inside it. OpenSpiel is held to make one in
every simulation. Searches by knowledge are compared by simulations.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.methods import make_belief
from fogspiel.belief.protocol import Belief, BeliefLimits
from fogspiel.core.budget import Budget
from fogspiel.core.terms import Observation, RoleId
from fogspiel.games.library import bundled_games
from fogspiel.games.load import load
from fogspiel.lab.benchmarks.playouts import first_decision
from fogspiel.lab.benchmarks.processes import Record, measure, peak_memory_bytes
from fogspiel.machine.knowledge import observation_of
from fogspiel.machine.protocol import Machine, States
from fogspiel.players.catalogue import make_player
from fogspiel.players.searching.search_player import SearchPlayer, Setup
from fogspiel.search.evaluation.leaf import LeafEvaluation, LeafEvaluator
from fogspiel.search.mcts.roots import Roots, belief_roots
from fogspiel.search.mcts.search import Search

PEER_SIMULATIONS = 5_000  #: Simulations per call of OpenSpiel
PEER_CONSTANT = 1.4  #: Constant of exploration for payoffs from -1 to 1
SLOW_SIMULATIONS = 16
HISTORIES = 20_000
SEED = 1
FIXED, FIXED_SECONDS = 20_000, 20.0
"""Simulations after which trees are compared, and the time that they may take."""

Run = Callable[[float], tuple[int, float]]
"""A search for some seconds of the processor: simulations made and seconds used."""


@dataclass(frozen=True, slots=True)
class SearchCase:
    """A search that is measured beside OpenSpiel's."""

    game: str
    player: str
    peer_game: str
    required_ratio: float


CASES = (
    SearchCase("connect_four", "uct", "connect_four", 10),
    SearchCase("breakthrough_6", "uct", "breakthrough(rows=6,columns=6)", 10),
    SearchCase("breakthrough_8", "uct", "breakthrough(rows=8,columns=8)", 10),
    SearchCase("leduc_poker", "ismcts", "leduc_poker", 3),
)


def hidden_games() -> list[str]:
    """All bundled games in which something is hidden."""
    return [name for name, entry in bundled_games().items() if "hidden-information" in entry.tags]


def compare(case: SearchCase, *, beside: bool, seconds: float, rounds: int) -> Record:
    """Rates of a case, measured in a process of its own, and whether they are what is required."""
    peer_game = case.peer_game if beside else None
    record = measure_alone(case.game, case.player, peer_game, seconds=seconds, rounds=rounds)
    record |= {"peer_game": peer_game, "required_ratio": case.required_ratio}
    if "ratio" in record:
        record["meets"] = record["ratio"] >= case.required_ratio
    return record


def measure_alone(
    game: str, player: str, peer_game: str | None = None, *, seconds: float, rounds: int = 1
) -> Record:
    """Rates of a player's search in a game, measured in a process of its own."""
    answer = measure(
        "search",
        60 * rounds * seconds,
        game=game,
        player=player,
        peer_game=peer_game,
        seconds=seconds,
        rounds=rounds,
    )
    return {"game": game, "player": player, **answer}


def measure_search(
    game: str, player: str, peer_game: str | None, seconds: float, rounds: int
) -> Record:
    """Measure a player's search, and OpenSpiel's if a game is named."""
    machine = load(game).machine
    setup = _setup(player)
    ours = Ours(machine, setup)
    runs: dict[str, Run] = {"ours": ours}
    record: Record = {"engine": machine.engine, "player": player}
    if peer_game is not None:
        runs["theirs"] = peer_search(player, peer_game)
    for run in runs.values():
        run(0.0)
    fixed = ours.at_fixed_simulations()
    ours.rollouts.clear()
    rates: dict[str, list[float]] = {side: [] for side in runs}
    spent = 0.0
    for _ in range(rounds):
        for side, run in runs.items():
            simulations, used = run(seconds)
            rates[side].append(simulations / used)
            spent += used if side == "ours" else 0.0
    record |= {
        "rounds": rates,
        "simulations_per_second": median(rates["ours"]),
        "rollouts_per_second": sum(ours.rollouts) / spent,
        "bytes": ours.bytes,
        **fixed,
        "peak_memory_bytes": peak_memory_bytes(),
    }
    if "theirs" in rates:
        record["peer_simulations_per_second"] = median(rates["theirs"])
        what = "simulations" if setup.algorithm.needs_knowledge else "rollouts"
        record["ratio"] = record[f"{what}_per_second"] / median(rates["theirs"])
    return record


def _setup(player: str) -> Setup:
    made = make_player(player)
    if not isinstance(made, SearchPlayer):
        raise ValueError(f"{player} is no player whose search is measured")
    return made.setup


@dataclass(frozen=True, slots=True, kw_only=True)
class _Counted(LeafEvaluation):
    """A leaf evaluation that counts its rollouts."""

    rollouts: list[int]

    def evaluator(self, machine: Machine, playouts: int = 1) -> LeafEvaluator:
        """The counting evaluator of a machine."""
        ends = LeafEvaluation.evaluator(self, machine, playouts)

        def counted(states: States, seed: int, budget: Budget | None = None) -> NDArray[np.float64]:
            self.rollouts.append(playouts * len(states))
            return ends(states, seed, budget)

        return counted


class Ours:
    """A new search of a player, again and again."""

    def __init__(self, machine: Machine, setup: Setup) -> None:
        self._machine, self._setup = machine, setup
        self._belief = first_choice(machine)
        self._seed = SEED
        self.rollouts: list[int] = []  #: Rollouts made so far
        self.bytes = 0  #: Memory of the last search

    def __call__(self, seconds: float) -> tuple[int, float]:
        """Search; without any time, make just enough simulations to load all kernels."""
        began = time.process_time()
        self._seed += 1
        search = self._search()
        roots = self._roots()
        budget = Budget.of(seconds=seconds, clock=time.process_time)
        if seconds <= 0.0:
            budget = Budget.of(simulations=SLOW_SIMULATIONS)
        made = search.run(roots, budget)
        used = time.process_time() - began
        self.bytes = search.bytes
        return made, used

    def at_fixed_simulations(self) -> Record:
        """What a tree holds after a number of simulations, however long they take."""
        search = self._search()
        made = search.run(self._roots(), Budget.of(simulations=FIXED, seconds=FIXED_SECONDS))
        return {
            "fixed_simulations": made,
            "nodes": search.tree.node_count,
            "bytes_per_simulation": search.bytes / max(1, made),
        }

    def _roots(self) -> Roots:
        needed = self._setup.algorithm.needs_knowledge
        return belief_roots(self._belief, self._seed, with_knowledge=needed)

    def _search(self) -> Search:
        setup, leaves = self._setup, _Counted(rollouts=self.rollouts)
        return Search(
            self._machine,
            self._belief.role,
            setup.algorithm,
            seed=self._seed,
            leaves=leaves,
            playouts=setup.playouts,
        )


def first_choice(machine: Machine) -> Belief:
    """What a role holds possible where somebody can choose for the first time."""
    rng = np.random.default_rng(SEED)
    state, roles = machine.initial(), [RoleId(role) for role in range(len(machine.roles))]
    passed: list[list[Observation]] = []
    while True:
        legal = [machine.legal(state, role) for role in roles]
        choosing = [role for role in roles if role != machine.chance_role and len(legal[role]) > 1]
        if choosing:
            break
        joint = tuple(moves[int(rng.integers(len(moves)))] for moves in legal)
        passed.append([observation_of(machine, state, joint, role) for role in roles])
        state = machine.step(state, joint)
    role = choosing[0]
    belief = make_belief("auto", machine, role, BeliefLimits(histories=HISTORIES))
    for seen in passed:
        belief.advance(seen[role])
    return belief


def peer_search(player: str, game: str) -> Run:
    """OpenSpiel's search in C++, with one random rollout a simulation."""
    import pyspiel

    loaded = pyspiel.load_game(game)
    state = first_decision(loaded)
    evaluator = pyspiel.RandomRolloutEvaluator(1, SEED)
    if player == "uct":
        tree = pyspiel.MCTSBot(
            loaded, evaluator, PEER_CONSTANT, PEER_SIMULATIONS, 1000, False, SEED, False
        )
        search = tree.mcts_search
    else:
        policy = pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT
        hidden = pyspiel.ISMCTSBot(
            SEED, evaluator, PEER_CONSTANT, PEER_SIMULATIONS, -1, policy, False, False
        )
        search = hidden.step

    def run(seconds: float) -> tuple[int, float]:
        began, made = time.process_time(), 0
        while True:
            search(state)
            made += PEER_SIMULATIONS
            used = time.process_time() - began
            if used >= seconds:
                return made, used

    return run
