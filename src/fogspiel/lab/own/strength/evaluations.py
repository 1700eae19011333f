"""Evaluations made from the rules, at the leaves of UCT, against UCT with playouts.

Once with as many simulations for both, once with as much time: an evaluation may say more than a
playout, or less, and takes longer or shorter. Seconds are of the processor, since other work ran
beside. Nothing was published for these games with these evaluations that could stand beside ours.
"""

from __future__ import annotations

from collections.abc import Sequence

from fogspiel.lab.framework.markdown import markdown
from fogspiel.lab.framework.matches import MatchClock, play_pair
from fogspiel.lab.framework.study import Document, Settings, Study

OPPONENT = "uct"
MEASURES = ("simulations", "seconds")


def parts(settings: Settings) -> list[str]:
    """Each game with each measure."""
    return [f"{game} {measure}" for game in settings["games"] for measure in MEASURES]


def run_part(settings: Settings, seed: int, part: str) -> list[Document]:
    """A record for each evaluation."""
    game, measure = part.split()
    allowance = (
        MatchClock(simulations=settings["simulations"])
        if measure == "simulations"
        else MatchClock(seconds=settings["seconds"], of_processor=True)
    )
    records: list[Document] = []
    for ending in settings[f"endings_{measure}"]:
        player = f"{OPPONENT}:{ending}"
        played = play_pair(
            game,
            (player, OPPONENT),
            games=settings["matches"],
            seed=seed,
            allowance=allowance,
            swap=True,
        )
        own = next(total for total in played["totals"] if total["player"] == player)
        records.append({**own, "game": game, "measure": measure, "ending": ending})
    return records


def table(records: Sequence[Document]) -> str:
    """Mean goals against plain UCT, where 50 is as good as it."""
    head = ["game", "equal", "evaluation", "mean goal", "95 %", "wins, draws, losses"]
    rows = list[list[str]]()
    for record in records:
        low, high = record["ci95"] or (record["mean_goal"],) * 2
        counts = (record["wins"], record["draws"], record["losses"])
        row = [
            record["game"],
            record["measure"],
            f"`{record['ending']}`",
            f"{record['mean_goal']:.1f}",
            f"{max(0.0, low):.1f} to {min(100.0, high):.1f}",
            ", ".join(map(str, counts)),
        ]
        rows.append(row)
    return markdown(head, rows)


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
    parts=parts,
    run_part=run_part,
    table=table,
)
