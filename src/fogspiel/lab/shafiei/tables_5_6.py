"""Shafiei (2010), tables 5.6 and 5.7, figures 5.9 and 5.10: exploiting a model, and the risk.

With confidence p the opponent is held to follow a model, otherwise to play as it likes. The answer
is a restricted Nash response, or a best response with probability p and an equilibrium otherwise.
His models: UCT plays rock always; in Goofspiel the most probable action of the equilibrium.

`shafiei-exploit` computes both columns: `exploitation` is the value of the response against the
model, `exploitability` its value against a best response to it. His figures are means of 100
matches against a UCT player. `shafiei-exploit-played` plays the responses, as he did: against the
model, against UCT, which the model is meant to describe, and against a best response to each.
Departures: UCT has a number of simulations a move instead of a clock; seats change after every
game.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from fogspiel.games.load import load
from fogspiel.lab.framework.matches import MatchClock, play_pair
from fogspiel.lab.framework.presentation import columns, figure, given, mean
from fogspiel.lab.framework.study import SHAFIEI, Document, Settings, Study
from fogspiel.lab.shafiei.against_uct import UCT
from fogspiel.players.protocol import Agent
from fogspiel.players.solving.entries import FALLBACK
from fogspiel.players.solving.strategy_player import Computed, StrategyPlayer
from fogspiel.players.solving.whole_game import Solver, SolveTask
from fogspiel.solve.lp.linear import solve_linear
from fogspiel.solve.response.restricted_nash import ModelledGame
from fogspiel.solve.result import Strategy
from fogspiel.solve.sequence_form import sequence_game
from fogspiel.solve.strategy_value import best_response
from fogspiel.tree.build.build import build
from fogspiel.tree.game_tree import GameTree

PUBLISHED: Mapping[str, Mapping[float, tuple[float, float]]] = {
    # confidence: (exploitation, exploitability), points of the player that exploits
    "biased_rps": {
        1.0: (75.0, 45.0), 0.75: (75.0, 45.0), 0.5: (74.5, 49.5), 0.25: (73.25, 50.15),
        0.0: (50.25, 52.35),
    },
    "goofspiel_5": {
        1.0: (77.0, 0.0), 0.75: (60.5, 15.5), 0.5: (51.0, 37.5), 0.25: (48.0, 53.0),
        0.0: (50.0, 50.0),
    },
}  # fmt: skip
TITLES = {"biased_rps": "table 5.6, biased RPS", "goofspiel_5": "table 5.7, 5 card Goofspiel"}
MODELLED = 2  #: The player that the model is of; the other responds
MODEL = "model"


def run(settings: Settings, seed: int, game: str) -> list[Document]:
    """Compute the responses for every confidence. Nothing is random here."""
    tree = build(load(game).machine)
    modelled = ModelledGame(tree, model_of(game, tree), player=2 - MODELLED)
    records: list[Document] = []
    for confidence in settings["confidences"]:
        restricted, mixed = modelled.restricted(confidence), modelled.mixed(confidence)
        records.append(
            {
                "game": game,
                "confidence": confidence,
                "value": modelled.equilibrium.values[2 - MODELLED],
                "exploitation": restricted.exploitation,
                "exploitability": restricted.worst,
                "mixed_exploitation": mixed.exploitation,
                "mixed_exploitability": mixed.worst,
                "published": PUBLISHED[game].get(confidence),
            }
        )
    return records


def model_of(game: str, tree: GameTree) -> Strategy:
    """What UCT is supposed to do, in either seat."""
    if game == "biased_rps":
        return _always(tree, "rock")
    return _most_probable(tree, solve_linear(sequence_game(tree)).strategy)


def _always(tree: GameTree, action: str) -> Strategy:
    """One action wherever it can be chosen."""
    infosets = tree.infosets
    names = [infosets.names.actions(infoset) for infoset in range(len(infosets))]
    starts = np.concatenate([[0], np.cumsum(infosets.action_counts, dtype=np.int64)])
    chosen = [float(name == action) for own in names for name in own]
    return Strategy(starts=starts, probabilities=np.array(chosen))


def _most_probable(tree: GameTree, strategy: Strategy) -> Strategy:
    """The likeliest action at every infoset, the first of several."""
    probabilities = np.zeros_like(strategy.probabilities)
    for infoset in range(len(tree.infosets)):
        probabilities[strategy.starts[infoset] + strategy.at(infoset).argmax()] = 1.0
    return Strategy(starts=strategy.starts, probabilities=probabilities)


def plot(records: Sequence[Document], path: Path) -> None:
    """Draw figures 5.9 and 5.10: the gain over the risk."""
    games = [game for game in PUBLISHED if any(record["game"] == game for record in records)]
    with figure(path, (9, 3.5), len(games)) as panels:
        for panel, game in zip(panels, games, strict=True):
            own = [record for record in records if record["game"] == game]
            for label, prefix, marker in (("restricted", "", "o"), ("mixing", "mixed_", "s")):
                panel.plot(
                    [100.0 - record[f"{prefix}exploitability"] for record in own],
                    [record[f"{prefix}exploitation"] for record in own],
                    marker=marker,
                    markersize=3,
                    label=label,
                )
            theirs = sorted((100.0 - worst, gain) for gain, worst in PUBLISHED[game].values())
            panel.plot(*zip(*theirs, strict=True), "x", color="black", label="published")
            panel.set_title(TITLES[game], loc="left")
            panel.set_xlabel("points of a best response to it")
            panel.set_ylabel("points against the model")
            panel.grid(linewidth=0.3)
        panels[0].legend(frameon=False)


def run_played(settings: Settings, seed: int, game: str, confidence: float) -> Document:
    """Play a response against each opponent."""
    response, best = f"response {confidence:g}", f"best response to {confidence:g}"
    respond = partial(_response, game, confidence)
    makers: Mapping[str, Callable[[], Agent]] = {
        response: partial(_follower, response, respond),
        MODEL: partial(_follower, MODEL, partial(_model, game)),
        best: partial(_follower, best, partial(_best, respond)),
    }
    record: Document = {
        "game": game,
        "confidence": confidence,
        "published": PUBLISHED[game].get(confidence),
    }
    for opponent, label in ((MODEL, "model"), (UCT, "uct"), (best, "best_response")):
        played = play_pair(
            game,
            [response, opponent],
            games=settings["matches"],
            seed=seed,
            allowance=MatchClock(simulations=settings["simulations"]),
            swap=True,
            makers=makers,
        )
        record[label] = played["totals"][0]
    return record


def _follower(name: str, solver: Solver) -> Agent:
    return StrategyPlayer(Computed(name, solver), FALLBACK)


def _response(game: str, confidence: float, task: SolveTask) -> Strategy:
    modelled = ModelledGame(task.tree, model_of(game, task.tree), task.player)
    return modelled.restricted_strategy(confidence)


def _model(game: str, task: SolveTask) -> Strategy:
    return model_of(game, task.tree)


def _best(respond: Callable[[SolveTask], Strategy], task: SolveTask) -> Strategy:
    other = SolveTask(task.machine, task.tree, 1 - task.player, task.budget)
    return best_response(task.tree, respond(other), task.player).strategy


COMPUTED = Study(
    name="shafiei-exploit",
    what="Exploitation against exploitability",
    source=f"{SHAFIEI}, tables 5.6 and 5.7, figures 5.9 and 5.10",
    settings={
        "games": tuple(PUBLISHED),
        "confidences": (1.0, 0.9, 0.8, 0.75, 0.7, 0.6, 0.5, 0.4, 0.3, 0.25, 0.2, 0.1, 0.05, 0.0),
    },
    quick={"confidences": (1.0, 0.5, 0.0)},
    cells=lambda settings: [(game,) for game in PUBLISHED if game in settings["games"]],
    run=run,
    table=columns(
        ("game", lambda record: TITLES[record["game"]]),
        ("p", "{confidence:g}"),
        ("exploitation (2010)", given("published", "{0[0]:g}")),
        ("exploitation", "{exploitation:.2f}"),
        ("mixing", "{mixed_exploitation:.2f}"),
        ("exploitability (2010)", given("published", "{0[1]:g}")),
        ("exploitability", "{exploitability:.2f}"),
        ("mixing", "{mixed_exploitability:.2f}"),
    ),
    plot=plot,
)
PLAYED = Study(
    name="shafiei-exploit-played",
    what="Exploitation against exploitability, as played",
    source=f"{SHAFIEI}, tables 5.6 and 5.7",
    settings={
        "games": tuple(PUBLISHED),
        "confidences": (1.0, 0.75, 0.5, 0.25, 0.0),
        "matches": 100,
        "simulations": 2_000,
    },
    quick={"games": ("biased_rps",), "confidences": (1.0, 0.0), "matches": 4, "simulations": 100},
    cells=lambda settings: [
        (game, confidence)
        for game in PUBLISHED
        if game in settings["games"]
        for confidence in settings["confidences"]
    ],
    run=run_played,
    table=columns(
        ("game", lambda record: TITLES[record["game"]]),
        ("p", "{confidence:g}"),
        ("against UCT (2010)", given("published", "{0[0]:g}")),
        ("against UCT", mean("uct")),
        ("against the model", mean("model")),
        ("against a best response (2010)", given("published", "{0[1]:g}")),
        ("against a best response", mean("best_response")),
    ),
)
