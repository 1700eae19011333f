"""Cerny (2014), table 6.1: Shodan as Monty Hall's guest.

Departures: clocks are numbers of simulations as in `shodan_6`, and there are more games than the
thesis' 30, so that intervals are narrower. How often the door was switched is counted, which says
more than how often that was lucky. `norns-belief` plays beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fogspiel.core.statistics import mean_interval
from fogspiel.lab.framework.markdown import markdown, with_interval
from fogspiel.lab.framework.study import CERNY, Document, Settings, Study
from fogspiel.lab.norns.section_5 import play_runs

GAME = "monty_hall"
PUBLISHED: Mapping[int, tuple[float, float]] = {
    30: (63.33, 17.24), 60: (66.66, 16.87), 120: (60.00, 17.53), 300: (63.33, 17.24),
}  # fmt: skip
"""Wins in 100 by clock in seconds, and half of the interval."""


def parts(settings: Settings) -> list[str]:
    """A player and a clock each."""
    return [f"{player} {clock}" for player in settings["players"] for clock in settings["clocks"]]


def run_part(settings: Settings, seed: int, part: str) -> list[Document]:
    """One record: wins, and switches."""
    player, clock = part.split()
    simulations = int(clock) * settings["simulations_a_second"]
    played = play_runs(
        GAME, player, simulations=simulations, runs=settings["games"], seed=seed + int(clock)
    )
    return [
        {
            "player": player,
            "clock_seconds": int(clock),
            "simulations": simulations,
            "games": settings["games"],
            "mean_goal": float(played.goals.mean()),
            "ci95": mean_interval(played.goals),
            "switches": played.made("switch"),
            "published": PUBLISHED.get(int(clock)) if player == "shodan" else None,
        }
    ]


def table(records: Sequence[Document]) -> str:
    """Wins in 100 games, a row for each player and clock."""
    head = ["player", "clock (2014)", "simulations a move", "wins % (2014)", "wins %", "games",
            "switched"]  # fmt: skip
    rows = list[list[str]]()
    for record in records:
        theirs = record["published"]
        row = [
            f"`{record['player']}`",
            f"{record['clock_seconds']} s",
            f"{record['simulations']:,}",
            f"{theirs[0]:.2f} ± {theirs[1]:.2f}" if theirs else "",
            with_interval(record["mean_goal"], record["ci95"], 2),
            str(record["games"]),
            str(record["switches"]),
        ]
        rows.append(row)
    return markdown(head, rows)


STUDY = Study(
    name="shodan-6-1",
    what="Monty Hall's guest",
    source=f"{CERNY}, table 6.1",
    settings={
        "players": ("shodan", "norns-belief"),
        "clocks": tuple(PUBLISHED),
        "simulations_a_second": 1_000,
        "games": 300,
    },
    quick={"clocks": (30,), "simulations_a_second": 50, "games": 20},
    parts=parts,
    run_part=run_part,
    table=table,
)
