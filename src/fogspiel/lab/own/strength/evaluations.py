"""Leaf evaluations made from the rules against playouts, both in UCT.

Once with as many simulations for both, once with as much time: an evaluation may say more than a
playout, or less, and takes longer or shorter. Seconds are of the processor, since other work ran
beside. Nothing was published for these games with these evaluations that could stand beside ours.
"""

from __future__ import annotations

from itertools import product

from fogspiel.lab.framework.matches import MatchClock, play_pair
from fogspiel.lab.framework.presentation import columns
from fogspiel.lab.framework.study import Document, Settings, Study

OPPONENT = "uct"
MEASURES = ("simulations", "seconds")


def run(settings: Settings, seed: int, game: str, measure: str) -> list[Document]:
    """Matches of every evaluation against playouts in one game."""
    allowance = (
        MatchClock(simulations=settings["simulations"])
        if measure == "simulations"
        else MatchClock(seconds=settings["seconds"], of_processor=True)
    )
    records = []
    for ending in settings[f"endings_{measure}"]:
        played = play_pair(
            game,
            (f"{OPPONENT}:{ending}", OPPONENT),
            games=settings["matches"],
            seed=seed,
            allowance=allowance,
            swap=True,
        )
        records.append({**played["totals"][0], "game": game, "measure": measure, "ending": ending})
    return records


def _interval(record: Document) -> str:
    low, high = record["ci95"] or (record["mean_goal"],) * 2
    return f"{max(0.0, low):.1f} to {min(100.0, high):.1f}"


STUDY = Study(
    name="evaluations",
    what="Evaluations of leaves against playouts",
    source="our own: no table was published. Mobility and focus: Genesereth & Thielscher (2014); "
    "fuzzy goals: Schiffel & Thielscher (2007); fluents: after Sharma, Kobti & Goodwin (2008)",
    settings={
        "games": ("breakthrough_6", "connect_four", "checkers", "othello"),
        "endings_simulations": (
            "mobility",
            "fuzzy",
            "fluents",
            "learned",
            "fluents,share=0.5",
            "fluents,steps=4",
        ),
        "endings_seconds": ("fluents", "fluents,share=0.5"),
        "matches": 40,
        "simulations": 100,
        "seconds": 0.02,
    },
    quick={
        "games": ("tic_tac_toe",),
        "endings_simulations": ("mobility", "fluents,share=0.5"),
        "endings_seconds": (),
        "matches": 4,
        "simulations": 20,
    },
    cells=lambda settings: product(settings["games"], MEASURES),
    run=run,
    table=columns(
        ("game", "{game}"),
        ("equal", "{measure}"),
        ("evaluation", "`{ending}`"),
        ("mean goal", "{mean_goal:.1f}"),
        ("95 %", _interval),
        ("wins, draws, losses", "{wins}, {draws}, {losses}"),
    ),
)
