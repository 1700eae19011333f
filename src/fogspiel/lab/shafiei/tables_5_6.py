"""Shafiei (2010), tables 5.6 and 5.7, figures 5.9 and 5.10: exploiting a model, and the risk.

With confidence p the opponent is held to follow a model, otherwise to play as it likes. The answer
is a restricted Nash response, or a best response with probability p and an equilibrium otherwise.

Departure: his figures are means of 100 matches against a UCT player; here both columns are
computed. `exploitation` is what the response gets against the model, `exploitability` what it gets
against a best response to itself. His models: UCT plays rock always; in Goofspiel the most probable
action of the equilibrium.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fogspiel.games.load import load
from fogspiel.lab.framework.figures import draw
from fogspiel.lab.framework.markdown import markdown
from fogspiel.lab.framework.study import SHAFIEI, Document, Settings, Study
from fogspiel.solve.lp.linear import solve_linear
from fogspiel.solve.response.restricted_nash import ModelledGame
from fogspiel.solve.result import Strategy
from fogspiel.solve.sequence_form import sequence_game
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
MODELLED = 2
"""The player that the model is of; the other responds."""


def parts(settings: Settings) -> list[str]:
    """The games that are asked for."""
    return [name for name in PUBLISHED if name in settings["games"]]


def run_part(settings: Settings, seed: int, part: str) -> list[Document]:
    """A record for each confidence. Nothing is random here."""
    tree = build(load(part).machine)
    modelled = ModelledGame(tree, model_of(part, tree), player=2 - MODELLED)
    value = modelled.equilibrium.values[2 - MODELLED]
    records: list[Document] = []
    for confidence in settings["confidences"]:
        restricted, mixed = modelled.restricted(confidence), modelled.mixed(confidence)
        records.append(
            {
                "game": part,
                "confidence": confidence,
                "value": value,
                "exploitation": restricted.exploitation,
                "exploitability": restricted.worst,
                "mixed_exploitation": mixed.exploitation,
                "mixed_exploitability": mixed.worst,
                "published": PUBLISHED[part].get(confidence),
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


def table(records: Sequence[Document]) -> str:
    """Points of the player that exploits: against the model, and against a best response."""
    head = ["game", "p", "exploitation (2010)", "exploitation", "mixing",
            "exploitability (2010)", "exploitability", "mixing"]  # fmt: skip
    rows = list[list[str]]()
    for record in records:
        theirs = record["published"]
        row = [
            TITLES[record["game"]],
            f"{record['confidence']:g}",
            f"{theirs[0]:g}" if theirs else "",
            f"{record['exploitation']:.2f}",
            f"{record['mixed_exploitation']:.2f}",
            f"{theirs[1]:g}" if theirs else "",
            f"{record['exploitability']:.2f}",
            f"{record['mixed_exploitability']:.2f}",
        ]
        rows.append(row)
    return markdown(head, rows)


def plot(records: Sequence[Document], path: Path) -> None:
    """Figures 5.9 and 5.10: what is risked, and what is gained for it."""
    games = [game for game in PUBLISHED if any(record["game"] == game for record in records)]

    def fill(panels: Sequence[Any]) -> None:
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

    draw(path, (9, 3.5), len(games), fill)


STUDY = Study(
    name="shafiei-exploit",
    what="Exploitation against exploitability",
    source=f"{SHAFIEI}, tables 5.6 and 5.7, figures 5.9 and 5.10",
    settings={
        "games": tuple(PUBLISHED),
        "confidences": (1.0, 0.9, 0.8, 0.75, 0.7, 0.6, 0.5, 0.4, 0.3, 0.25, 0.2, 0.1, 0.05, 0.0),
    },
    quick={"confidences": (1.0, 0.5, 0.0)},
    parts=parts,
    run_part=run_part,
    table=table,
    plot=plot,
)
