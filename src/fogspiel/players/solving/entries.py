"""Entries of the players that solve whole games or the next steps."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from fogspiel.players.modelling.fictitious_play import FictitiousPlayer
from fogspiel.players.modelling.safe_exploitation import SafeExploiter
from fogspiel.players.names import Arguments
from fogspiel.players.protocol import Agent, PlayerEntry, number
from fogspiel.players.search_arguments import leaves_in
from fogspiel.players.searching.search_player import Setup
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
)
from fogspiel.search.mcts.algorithms import ISMCTS, SIMULTANEOUS_MATCHING, SIMULTANEOUS_UCT

CONFIDENCE = 0.9
FALLBACK = Setup(algorithm=ISMCTS, advice="visits")
"""The search to use where solving fails: `ismcts`."""
SAFE, TRUST = "safe", "trust"
SIMULATIONS = {"mcts100": 100, "mcts1000": 1_000}
DEFAULT_HEURISTIC = "mcts100"
OPEN_FALLBACK = Setup(algorithm=SIMULTANEOUS_MATCHING, advice="average")
"""The search to use where solving fails and nothing is hidden: `sm-rm`."""


def solved(arguments: Arguments) -> Agent:
    """A player that follows an equilibrium, computed or read from a file."""
    path = arguments.whole()
    source = Computed("equilibrium", equilibrium) if path is None else Saved(Path(path))
    return StrategyPlayer(source, FALLBACK)


def exploit(arguments: Arguments) -> Agent:
    """A player that follows a restricted Nash response to uniform random opponents.

    Raises `UsageError` PLY021 if the confidence is not a probability.
    """
    confidence = arguments.word()
    share = CONFIDENCE if confidence is None else number(confidence, 1.0)
    if share is None:
        raise arguments.unusable(str(confidence), "a probability, e.g. 0.9")
    return StrategyPlayer(Computed(f"response {share}", restricted_response(share)), FALLBACK)


def sm_lp(arguments: Arguments) -> Agent:
    """A player that solves a matrix game in each state of the next steps.

    Raises `UsageError` PLY021 for a wrong depth, or a wrong number of goals after `safe=`.
    """
    allowance = _setting(SAFE, 100.0, arguments)
    depth, leaves = _look(arguments)
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
    return SafeExploiter(ahead, allowance=allowance, rival=SIMULTANEOUS_UCT)


def cfr(arguments: Arguments) -> Agent:
    """A player that minimises counterfactual regrets in the states of the next steps.

    Raises `UsageError` PLY021 for a wrong depth, or a wrong probability after `trust=`.
    """
    trust = _setting(TRUST, 1.0, arguments)
    ahead = regrets_ahead(*_look(arguments))
    return LookaheadPlayer(ahead) if trust is None else FictitiousPlayer(ahead, trust=trust)


def regrets_ahead(
    depth: int | None, leaves: LeafEvaluation = RANDOM_PLAYOUTS, *, first_moves: bool = False
) -> Ahead:
    """The lookahead settings of `cfr`. first_moves: see `RegretSolver`."""
    return Ahead(
        solver=partial(RegretSolver, first_moves=first_moves),
        depth=depth,
        leaves=leaves,
        share=GRAPH_SHARE if depth is None else ASKED_SHARE,
        states_a_second=REGRETS_A_SECOND,
        open_fallback=OPEN_FALLBACK,
        hidden_fallback=FALLBACK,
    )


def sdpog(arguments: Arguments) -> Agent:
    """The player SDPOG. Raises `UsageError` PLY021 for an unknown heuristic."""
    return SdpogPlayer(_heuristic(arguments))


def domis(arguments: Arguments) -> Agent:
    """The player DOMIS. Raises `UsageError` PLY021 for an unknown heuristic."""
    return DomisPlayer(_heuristic(arguments))


def belp(arguments: Arguments) -> Agent:
    """A player that solves the game, or the part of its tree around the information set."""
    return BelpPlayer(Computed("equilibrium", equilibrium), FALLBACK, leaves_in(arguments))


def _heuristic(arguments: Arguments) -> Heuristic:
    if arguments.next_word() in EVALUATIONS:
        return Evaluated(leaves_in(arguments))
    name = arguments.word()
    if name == "greedy":
        return Greedy()
    simulations = SIMULATIONS.get(DEFAULT_HEURISTIC if name is None else name)
    if simulations is None:
        raise arguments.unusable(str(name), ", ".join(["greedy", *SIMULATIONS, *EVALUATIONS]))
    return Simulated(simulations)


def _setting(key: str, most: float, arguments: Arguments) -> float | None:
    """The number of a setting, from 0 on; None if it is not given."""
    text = arguments.setting(key)
    found = None if text is None else number(text, most)
    if text is not None and found is None:
        raise arguments.unusable(f"{key}={text}", f"a number from 0 to {most:g} after {key}=")
    return found


def _look(arguments: Arguments) -> tuple[int | None, LeafEvaluation]:
    """Depth and leaf evaluation of arguments such as `3`, `mobility` or `3,mobility`."""
    depth = None if arguments.next_word() in EVALUATIONS else arguments.word()
    if depth and (not depth.isdecimal() or int(depth) < 1):
        raise arguments.unusable(depth, "a number of steps, at least 1, or an evaluation")
    return int(depth) if depth else None, leaves_in(arguments)


SOLVING_KINDS = (
    PlayerEntry(
        name="solved",
        what="plays an equilibrium of the whole game",
        details="The method is the one that fogspiel solve chooses. Games that cannot be solved in "
        "time it plays as ismcts does.",
        source="Koller, Megiddo & von Stengel (1996)",
        fits="games whose tree fits in memory and can be solved in time",
        make=solved,
        argument="the file of a strategy that `fogspiel solve --save` wrote",
        takes_file=True,
    ),
    PlayerEntry(
        name="exploit",
        what="plays a restricted Nash response to random opponents",
        details="Games that cannot be solved in time it plays as ismcts does.",
        source="Johanson, Zinkevich & Bowling (2007); Shafiei (2010), section 5.4",
        fits="weak opponents, in games whose tree fits in memory",
        make=exploit,
        argument=f"the probability that opponents play at random (default: {CONFIDENCE})",
    ),
    PlayerEntry(
        name="sm-lp",
        what="solves a matrix game in each state of the next steps",
        details="Other games it plays as sm-rm does, or as ismcts does if information is hidden.",
        source="Shafiei (2010), chapter 6 (future work); Buro (2003)",
        fits="two players, constant sum, simultaneous moves that all roles see",
        make=sm_lp,
        argument=f"{SAFE}=G (loss to risk against an opponent that plays as sm-uct, for goals up "
        f"to 100), a depth in steps (default: as time allows), and after a comma {ARGUMENT}",
    ),
    PlayerEntry(
        name="cfr",
        what="minimises counterfactual regrets over the next steps",
        details="Games with hidden information it plays as ismcts does.",
        source="Shafiei (2010), sections 4.6 and 5.2.2",
        fits="simultaneous moves that all roles see, any number of players",
        make=cfr,
        argument=f"{TRUST}=P (probability of a best response to the opponents' past moves), a "
        f"depth in steps (default: as time allows), and after a comma {ARGUMENT}",
    ),
    PlayerEntry(
        name="sdpog",
        what="plays the move with the best mean value over possible histories",
        details="The values are heuristic.",
        source="Richards (2012), algorithm 5.1 (SDPOG)",
        fits="hidden information where the best move does not depend on what others know",
        make=sdpog,
        argument="greedy, mcts100 (the default), mcts1000, or a leaf evaluation such as mobility",
    ),
    PlayerEntry(
        name="domis",
        what="plays as sdpog does, with histories weighted by an opponent model",
        details="Opponents are assumed to play as sdpog.",
        source="Richards (2012), section 5.4 (DOMIS)",
        fits="hidden information in games with pure equilibria",
        make=domis,
        argument="greedy, mcts100 (the default), mcts1000, or a leaf evaluation such as mobility",
    ),
    PlayerEntry(
        name="belp",
        what="plays an equilibrium of the tree around its information set",
        source="Richards (2012), algorithm 5.1 (BELP)",
        fits="hidden information with bluffing, two players and a constant sum",
        make=belp,
        argument=ARGUMENT,
    ),
)
