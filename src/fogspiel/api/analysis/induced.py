"""Induced strategies: what the decisions of a player amount to, put together to one strategy.

Source: Richards (2012), definition 4; `play/induced_strategy` says how a player is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING

from fogspiel.api.matches.player import AnyPlayer, entrant_of
from fogspiel.api.matches.playing import clocks_of
from fogspiel.api.solution import Solution, solved_of
from fogspiel.api.solving import OnStage, Stage, ignore
from fogspiel.core.limits import refuse_count
from fogspiel.play.induced_strategy import induced_strategy
from fogspiel.play.series import refuse_entrants, warm_up

if TYPE_CHECKING:
    from fogspiel.api.game import Game

MAX_NODES = 1_000_000  #: A tree has to fit, and each of its information sets takes a decision


def induce(
    game: Game,
    player: AnyPlayer,
    *,
    seconds: float | None = None,
    simulations: int | None = None,
    start_seconds: float | None = None,
    draws: int = 1,
    seed: int = 0,
    max_nodes: int = MAX_NODES,
    on_stage: OnStage = ignore,
    on_decision: Callable[[], None] | None = None,
) -> Solution:
    """The strategy that a player induces; `Game.induce` says what the arguments mean."""
    refuse_count("draws", draws)
    refuse_count("seed", seed, 0)
    clocks = clocks_of(seconds, simulations, start_seconds)
    entrant = entrant_of(game, player)
    refuse_entrants(game.machine, len(game.players))
    on_stage(Stage("building the tree"))
    began = perf_counter()
    tree = game.tree(max_nodes=max_nodes)
    build_seconds = perf_counter() - began
    if seconds is not None:
        on_stage(Stage("loading the kernels"))
        warm_up(game.machine, [entrant] * len(game.players))
    on_stage(Stage("decisions", steps=draws * tree.infosets))
    began = perf_counter()
    found = induced_strategy(
        game.machine,
        tree.levels,
        entrant.make,
        start_budget=clocks.start_budget,
        turn_budget=clocks.turn_budget,
        seed=seed,
        draws=draws,
        on_decision=on_decision,
    )
    settings = {
        "seconds": seconds,
        "simulations": clocks.simulations,
        "draws": draws,
        "seed": seed,
        "start_seconds": start_seconds,
    }
    solved = solved_of(
        tree,
        found.probabilities,
        f"induced by {entrant.name}",
        began=began,
        parameters={key: value for key, value in settings.items() if value is not None},
        iterations=draws,
    )
    return Solution(game, solved, tree, build_seconds=build_seconds)
