"""Shafiei (2010), figures 5.7 and 5.8 and table 5.3: CFR against UCT by start and play clock.

One clock is varied at a time, in Goofspiel with five cards; table 5.3 has all games of a figure
together. The figures have no numbers printed with them.
Departures: clocks are divided, see `shafiei_players`. There are seven play clocks and nine start
clocks, as many as he has (table 5.3); which ones his are is not printed, so these are our choice.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fogspiel.lab.framework.figures import draw
from fogspiel.lab.framework.markdown import markdown
from fogspiel.lab.framework.matches import play_pair
from fogspiel.lab.framework.study import SHAFIEI, Document, Settings, Study
from fogspiel.lab.shafiei.common import UCT, WHOLE_CFR, clocks, shown_mean

GAME = "goofspiel_5"
PLAY, START = "play clock", "start clock"
TITLES: Mapping[str, str] = {PLAY: "figure 5.7", START: "figure 5.8"}
USUAL: Mapping[str, float] = {PLAY: 10.0, START: 30.0}
PUBLISHED: Mapping[str, tuple[float, float, int]] = {
    # what varies: points of CFR, half of the interval, games
    PLAY: (52.55, 1.88, 1400),
    START: (51.10, 1.66, 1800),
}


def parts(settings: Settings) -> list[str]:
    """A part for each clock."""
    return [f"{varied}: {seconds:g}" for varied in TITLES for seconds in settings[_key(varied)]]


def run_part(settings: Settings, seed: int, part: str) -> list[Document]:
    """One record."""
    varied, seconds = part.split(": ")
    chosen = {**USUAL, varied: float(seconds)}
    played = play_pair(
        GAME,
        [settings["player"], UCT],
        games=settings["matches"],
        seed=seed + int(100 * float(seconds)) + (varied == START),
        allowance=clocks(chosen[START], chosen[PLAY], settings["divisor"]),
        swap=True,
    )
    return [{**played, "varied": varied, "published_seconds": float(seconds)}]


def table(records: Sequence[Document]) -> str:
    """Points of CFR for each clock, and for all clocks of a figure together."""
    head = ["varied", "clock (2010)", "clock", "games", "CFR (2010)", "CFR"]
    rows = list[list[str]]()
    for varied, figure in TITLES.items():
        own = [record for record in records if record["varied"] == varied]
        for record in own:
            ours = record["seconds" if varied == PLAY else "start_seconds"]
            cells = [f"{varied} ({figure})", f"{record['published_seconds']:g} s", f"{ours:.4g} s",
                     str(record["games"]), "", shown_mean(record["totals"][0])]  # fmt: skip
            rows.append(cells)
        if own:
            mean, half, games = PUBLISHED[varied]
            total = f"{sum(record['games'] for record in own)} ({games} in 2010)"
            cells = [f"{varied} (table 5.3)", "all", "all", total, f"{mean:g} ± {half:g}",
                     _together(own)]  # fmt: skip
            rows.append(cells)
    return markdown(head, rows)


def _together(records: Sequence[Document]) -> str:
    """The mean of all games of some records that have as many each."""
    tallies = [record["totals"][0] for record in records]
    mean = sum(tally["mean_goal"] for tally in tallies) / len(tallies)
    halves = [(tally["ci95"][1] - tally["ci95"][0]) / 2 for tally in tallies if tally["ci95"]]
    return f"{mean:.2f} ± {math.hypot(*halves) / len(tallies):.2f}"


def plot(records: Sequence[Document], path: Path) -> None:
    """Points of both players by the clock that varies."""

    def fill(panels: Sequence[Any]) -> None:
        for panel, (varied, figure) in zip(panels, TITLES.items(), strict=True):
            own = [record for record in records if record["varied"] == varied]
            seconds = [record["published_seconds"] for record in own]
            for place, label in enumerate(("CFR", "UCT")):
                tallies = [record["totals"][place] for record in own]
                means = [tally["mean_goal"] for tally in tallies]
                halves = [
                    0.0 if tally["ci95"] is None else (tally["ci95"][1] - tally["ci95"][0]) / 2
                    for tally in tallies
                ]
                panel.errorbar(seconds, means, halves, marker="o", markersize=3, capsize=2,
                               linewidth=1, label=label)  # fmt: skip
            panel.axhline(50.0, color="black", linewidth=0.3)
            panel.set_title(f"{figure}: {varied}", loc="left")
            panel.set_xlabel(f"{varied} of 2010 in seconds; ours is a part of it")
        panels[0].set_ylabel("points")
        panels[0].legend(frameon=False)

    draw(path, (9, 3.5), len(TITLES), fill)


def _key(varied: str) -> str:
    return f"{varied.split(maxsplit=1)[0]}_clocks"


STUDY = Study(
    name="shafiei-clocks",
    what="CFR against UCT by start and play clock",
    source=f"{SHAFIEI}, figures 5.7 and 5.8 and table 5.3",
    settings={
        "player": WHOLE_CFR,
        "play_clocks": (1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0),
        "start_clocks": (5.0, 10.0, 20.0, 30.0, 40.0, 60.0, 80.0, 100.0, 120.0),
        "matches": 200,
        "divisor": 1_000,
    },
    quick={"play_clocks": (10.0,), "start_clocks": (60.0,), "matches": 2, "divisor": 500},
    parts=parts,
    run_part=run_part,
    table=table,
    plot=plot,
)
