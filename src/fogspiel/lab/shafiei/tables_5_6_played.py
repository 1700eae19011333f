"""Shafiei (2010), tables 5.6 and 5.7 as played: restricted Nash responses in matches.

`shafiei-exploit` computes what the responses get; here they are played, as he did. Their opponents
are the model itself, UCT, which the model is meant to describe, and a best response to each.
Departures: UCT has a number of simulations a move instead of a clock; seats change after every
game.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from fogspiel.lab.framework.markdown import markdown
from fogspiel.lab.framework.matches import MatchClock, play_pair
from fogspiel.lab.framework.study import SHAFIEI, Document, Settings, Study
from fogspiel.lab.shafiei.common import UCT, shown_mean
from fogspiel.lab.shafiei.tables_5_6 import PUBLISHED, TITLES, model_of
from fogspiel.players.protocol import Agent
from fogspiel.players.solving.entries import FALLBACK
from fogspiel.players.solving.strategy_player import Computed, StrategyPlayer
from fogspiel.players.solving.whole_game import Solver, SolveTask
from fogspiel.solve.response.restricted_nash import ModelledGame
from fogspiel.solve.result import Strategy
from fogspiel.solve.strategy_value import best_response

MODEL = "model"


def parts(settings: Settings) -> list[str]:
    """A part for each game and confidence."""
    games = [game for game in PUBLISHED if game in settings["games"]]
    return [f"{game} {confidence:g}" for game in games for confidence in settings["confidences"]]


def run_part(settings: Settings, seed: int, part: str) -> list[Document]:
    """One record, with what the response got against each opponent."""
    game, confidence = part.split()
    response, best = f"response {confidence}", f"best response to {confidence}"
    respond = partial(_response, game, float(confidence))
    makers: Mapping[str, Callable[[], Agent]] = {
        response: partial(_follower, response, respond),
        MODEL: partial(_follower, MODEL, partial(_model, game)),
        best: partial(_follower, best, partial(_best, respond)),
    }
    record: Document = {
        "game": game,
        "confidence": float(confidence),
        "published": PUBLISHED[game].get(float(confidence)),
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
    return [record]


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


def table(records: Sequence[Document]) -> str:
    """Points of the response, his and ours."""
    head = ["game", "p", "against UCT (2010)", "against UCT", "against the model",
            "against a best response (2010)", "against a best response"]  # fmt: skip
    rows = list[list[str]]()
    for record in records:
        theirs = record["published"]
        row = [
            TITLES[record["game"]],
            f"{record['confidence']:g}",
            f"{theirs[0]:g}" if theirs else "",
            shown_mean(record["uct"]),
            shown_mean(record["model"]),
            f"{theirs[1]:g}" if theirs else "",
            shown_mean(record["best_response"]),
        ]
        rows.append(row)
    return markdown(head, rows)


STUDY = Study(
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
    parts=parts,
    run_part=run_part,
    table=table,
)
