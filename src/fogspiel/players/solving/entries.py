"""The players that solve, by name: whole games, or what lies ahead."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from fogspiel.players.modelling.fictitious_play import FictitiousPlayer
from fogspiel.players.modelling.safe_exploitation import SafeExploiter
from fogspiel.players.protocol import Agent, PlayerEntry, number, unusable
from fogspiel.players.searching.search_player import ALGORITHM_1, UCT_CONSTANT, Setup, ucb
from fogspiel.players.solving.belp import BelpPlayer
from fogspiel.players.solving.heuristics import Evaluated, Greedy, Heuristic, Simulated
from fogspiel.players.solving.lookahead import (
    ASKED_SHARE,
    GRAPH_SHARE,
    MATRICES_A_SECOND,
    REGRETS_A_SECOND,
    Ahead,
    LookaheadPlayer,
)
from fogspiel.players.solving.lookahead_solvers import MatrixGameSolver, RegretSolver
from fogspiel.players.solving.sdpog import DomisPlayer, SdpogPlayer
from fogspiel.players.solving.strategy_player import Computed, Saved, StrategyPlayer
from fogspiel.players.solving.whole_game import equilibrium, restricted_response
from fogspiel.search.evaluation.evaluations import EVALUATIONS
from fogspiel.search.evaluation.leaf import (
    ARGUMENT,
    RANDOM_PLAYOUTS,
    LeafEvaluation,
    leaf_evaluation_of,
)
from fogspiel.search.mcts.kernels.bandits import REGRET_MATCHING
from fogspiel.search.mcts.lockstep import SelectionRule

CONFIDENCE = 0.9
FALLBACK = Setup(scope="knowledge", rule=ucb(UCT_CONSTANT), advice="visits")
"""What plays where nothing can be solved: `ismcts`."""
SAFE, TRUST = "safe", "trust"
SIMULATIONS = {"mcts100": 100, "mcts1000": 1_000}
OR_LEAVES = "and after a comma an evaluation of leaves, as told below"
OPEN_FALLBACK = Setup(
    scope="state", rule=SelectionRule(kind=REGRET_MATCHING, constant=0.05), advice="average"
)
"""The same where nothing is hidden: `sm-rm`."""


def solved(path: str | None = None) -> Agent:
    """Follows an equilibrium, computed or from a file."""
    source = Computed("equilibrium", equilibrium) if path is None else Saved(Path(path))
    return StrategyPlayer(source, FALLBACK)


def exploit(confidence: str = str(CONFIDENCE)) -> Agent:
    """Follows a response to even play. Raises `UsageError` PLY021 for no probability."""
    share = number(confidence, 1.0)
    if share is None:
        raise unusable("exploit", confidence, "a probability, e.g. 0.9")
    return StrategyPlayer(Computed(f"response {share}", restricted_response(share)), FALLBACK)


def sm_lp(argument: str = "") -> Agent:
    """Solves a matrix game in each state ahead.

    Raises `UsageError` PLY021 for no depth, and for no number of goals after `safe=`.
    """
    allowance, argument = _setting("sm-lp", argument, SAFE, 100.0)
    depth, leaves = _look("sm-lp", argument)
    ahead = Ahead(
        solver=MatrixGameSolver,
        depth=depth,
        leaves=leaves,
        states_a_second=MATRICES_A_SECOND,
        each_depth=True,
        open_fallback=OPEN_FALLBACK,
        hidden_fallback=FALLBACK,
    )
    if allowance is None:
        return LookaheadPlayer(ahead)
    return SafeExploiter(ahead, allowance=allowance, rival=ALGORITHM_1)


def cfr(argument: str = "") -> Agent:
    """Minimises regrets in the states ahead.

    Raises `UsageError` PLY021 for no depth, and for no probability after `trust=`.
    """
    trust, argument = _setting("cfr", argument, TRUST, 1.0)
    ahead = regrets_ahead(*_look("cfr", argument))
    return LookaheadPlayer(ahead) if trust is None else FictitiousPlayer(ahead, trust=trust)


def regrets_ahead(
    depth: int | None, leaves: LeafEvaluation = RANDOM_PLAYOUTS, *, first_moves: bool = False
) -> Ahead:
    """How `cfr` looks ahead. first_moves: see `RegretSolver`."""
    return Ahead(
        solver=partial(RegretSolver, first_moves=first_moves),
        depth=depth,
        leaves=leaves,
        share=GRAPH_SHARE if depth is None else ASKED_SHARE,
        states_a_second=REGRETS_A_SECOND,
        open_fallback=OPEN_FALLBACK,
        hidden_fallback=FALLBACK,
    )


def sdpog(heuristic: str = "mcts100") -> Agent:
    """Decides by histories. Raises `UsageError` PLY021 for an unknown heuristic."""
    return SdpogPlayer(_heuristic("sdpog", heuristic))


def domis(heuristic: str = "mcts100") -> Agent:
    """Decides by histories and a model. Raises `UsageError` PLY021 for an unknown heuristic."""
    return DomisPlayer(_heuristic("domis", heuristic))


def belp(evaluation: str | None = None) -> Agent:
    """Solves the game, or the part of it around what the role knows."""
    leaves = RANDOM_PLAYOUTS if evaluation is None else leaf_evaluation_of(evaluation)
    return BelpPlayer(Computed("equilibrium", equilibrium), FALLBACK, leaves)


def _heuristic(player: str, name: str) -> Heuristic:
    if name == "greedy":
        return Greedy()
    if name in SIMULATIONS:
        return Simulated(SIMULATIONS[name])
    if name.partition(",")[0] in EVALUATIONS:
        return Evaluated(leaf_evaluation_of(name))
    raise unusable(player, name, ", ".join(["greedy", *SIMULATIONS, *EVALUATIONS]))


def _setting(name: str, argument: str, key: str, most: float) -> tuple[float | None, str]:
    """The number after a key, from 0 on, if the argument begins with it, and what follows."""
    first, _, rest = argument.partition(",")
    found, equals, value = first.partition("=")
    if found != key or not equals:
        return None, argument
    setting = number(value, most)
    if setting is None:
        raise unusable(name, first, f"a number from 0 to {most:g} after {key}=")
    return setting, rest


def _look(name: str, argument: str) -> tuple[int | None, LeafEvaluation]:
    """Steps to look ahead, an evaluation, or the one, a comma, and the other."""
    steps, comma, evaluation = argument.partition(",")
    if steps in EVALUATIONS:
        steps, comma, evaluation = "", ",", argument
    leaves = leaf_evaluation_of(evaluation) if comma else RANDOM_PLAYOUTS
    return _steps(name, steps) if steps else None, leaves


def _steps(name: str, depth: str) -> int:
    if not depth.isdecimal() or int(depth) < 1:
        raise unusable(name, depth, "a number of steps, at least 1, or an evaluation")
    return int(depth)


SOLVING_KINDS = (
    PlayerEntry(
        name="solved",
        what="draws from an equilibrium of the whole game",
        source="solve: a method that fits the game; Koller, Megiddo & von Stengel (1996)",
        fits="games whose tree fits in memory and clock; elsewhere it plays as ismcts",
        make=solved,
        argument="a file that `fogspiel solve --save` wrote",
        make_with=solved,
    ),
    PlayerEntry(
        name="exploit",
        what="a restricted Nash response to opponents that choose evenly",
        source="Johanson, Zinkevich & Bowling (2007); Shafiei (2010), section 5.4",
        fits="weak opponents in games whose tree fits; elsewhere it plays as ismcts",
        make=exploit,
        argument=f"how probable the model is, from 0 to 1; {CONFIDENCE} if not given",
        make_with=exploit,
    ),
    PlayerEntry(
        name="sm-lp",
        what="matrix games from some steps ahead back to the present, playouts at the end",
        source="Shafiei (2010), chapter 6 (future work); Buro (2003)",
        fits="two players, constant sum, simultaneous moves that everybody sees; else as sm-rm, "
        "or ismcts where something is hidden",
        make=sm_lp,
        argument=f"{SAFE}=G, goals of 100 to risk against what sm-uct would do, "
        f"and steps to look ahead (as many as there is time for if not given), {OR_LEAVES}",
        make_with=sm_lp,
    ),
    PlayerEntry(
        name="cfr",
        what="counterfactual regrets in the states some steps ahead, playouts at the end",
        source="Shafiei (2010), sections 4.6 and 5.2.2",
        fits="simultaneous moves that everybody sees, any number of players; as ismcts where "
        "something is hidden",
        make=cfr,
        argument=f"{TRUST}=P, how often to answer habits of opponents, and "
        f"steps to look ahead (as many as there is time for if not given), {OR_LEAVES}",
        make_with=cfr,
    ),
    PlayerEntry(
        name="sdpog",
        what="the best move on average over possible histories, by a heuristic",
        source="Richards (2012), algorithm 5.1 (SDPOG)",
        fits="hidden information where a move is best whatever others know",
        make=sdpog,
        argument="greedy, mcts100 (if not given), mcts1000, or an evaluation",
        make_with=sdpog,
    ),
    PlayerEntry(
        name="domis",
        what="as sdpog, with histories as probable as opponents that decide likewise make them",
        source="Richards (2012), section 5.4 (DOMIS)",
        fits="hidden information with equilibria that do not mix",
        make=domis,
        argument="greedy, mcts100 (if not given), mcts1000, or an evaluation",
        make_with=domis,
    ),
    PlayerEntry(
        name="belp",
        what="draws from an equilibrium of the part of the tree around what the role knows",
        source="Richards (2012), algorithm 5.1 (BELP)",
        fits="hidden information with bluffs; two players and a constant sum",
        make=belp,
        argument=ARGUMENT,
        make_with=belp,
    ),
)
