"""Shafiei (2010), table 5.4: three players of `smallest`, some by CFR and some by UCT.

His start clock of 3.5 minutes was just enough for CFR to build all states; with 10 minutes it had
time for iterations too.
Departures: clocks are divided, see `shafiei_players`, so that the shorter start clock is again just
enough to find all states: 11,505 in which play goes on, with 1,000 joint moves each, take 0.9
seconds of the 1.05 that `cfr` lets itself have for it. An iteration takes a tenth of a second, so
that three to six are made with the shorter clock and 30 with the longer one; by table 5.1 his took
about two seconds, a hundredth of the time for all states. So the second seating is also played with
as many iterations as settings say, made before and not in turns. He tells no number of games, and
seats are as listed; ours move on after every game. The trusting player is ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fogspiel.core.budget import Budget
from fogspiel.games.load import load
from fogspiel.lab.framework.markdown import markdown
from fogspiel.lab.framework.matches import play_pair
from fogspiel.lab.framework.study import SHAFIEI, Document, Settings, Study
from fogspiel.lab.shafiei.common import CFR, FEW_AT_ONCE_UCT, WHOLE_CFR, clocks, shown_mean
from fogspiel.machine.protocol import State
from fogspiel.players.solving.entries import regrets_ahead
from fogspiel.players.solving.lookahead import LookaheadPlayer, Outlook
from fogspiel.solve.regret.cfr_states import StateRegrets
from fogspiel.tree.state_graph import joint_graph

GAME = "smallest"
PLAY_SECONDS = 10.0
TRUSTING = f"{CFR}:trust=1"
"""Answers habits of its opponents, and looks as far ahead as a turn allows."""
PREPARED = f"{CFR}, prepared"
SEATINGS: Mapping[str, tuple[str, ...]] = {
    "CFR - UCT - UCT": (WHOLE_CFR, FEW_AT_ONCE_UCT, FEW_AT_ONCE_UCT),
    "UCT - CFR - CFR": (FEW_AT_ONCE_UCT, WHOLE_CFR, WHOLE_CFR),
    "trusting CFR - UCT - UCT": (TRUSTING, FEW_AT_ONCE_UCT, FEW_AT_ONCE_UCT),
    "UCT - prepared CFR - prepared CFR": (FEW_AT_ONCE_UCT, PREPARED, PREPARED),
}
PUBLISHED: Mapping[tuple[str, float], tuple[float, ...]] = {
    ("CFR - UCT - UCT", 210.0): (81.5, 50.1, 51.7),
    ("CFR - UCT - UCT", 600.0): (79.9, 46.6, 50.1),
    ("UCT - CFR - CFR", 210.0): (72.1, 68.3, 72.7),
    ("UCT - CFR - CFR", 600.0): (50.0, 79.8, 70.6),
}


def parts(settings: Settings) -> list[str]:
    """A part for each seating and start clock, and where CFR is prepared for each number."""
    return [
        f"{seating}: {number:g}"
        for seating, players in SEATINGS.items()
        for number in settings["iterations" if PREPARED in players else "start_clocks"]
    ]


def run_part(settings: Settings, seed: int, part: str) -> list[Document]:
    """One record."""
    seating, number = part.split(": ")
    players = SEATINGS[seating]
    iterations = int(number) if PREPARED in players else None
    start = float(number) if iterations is None else 0.0
    regrets = None if iterations is None else _learnt(iterations)
    played = play_pair(
        GAME,
        players,
        games=settings["matches"],
        seed=seed,
        allowance=clocks(start or PLAY_SECONDS, PLAY_SECONDS, settings["divisor"]),
        swap=True,
        makers=None if regrets is None else {PREPARED: lambda: Prepared(regrets)},
    )
    return [
        {
            **played,
            "seating": seating,
            "iterations": iterations,
            "published_start_seconds": start or None,
            "published": PUBLISHED.get((seating, start)),
        }
    ]


class Prepared(LookaheadPlayer):
    """Draws from what was learnt about the whole game before, and learns no more."""

    def __init__(self, regrets: StateRegrets) -> None:
        super().__init__(regrets_ahead(None))
        self._regrets = regrets

    def _look(self, state: State, budget: Budget) -> None:
        """Take the strategy that was learnt before."""
        strategy = self._regrets.average()
        self.outlook = Outlook(self._regrets.graph, 0, is_whole=True, strategy=strategy)

    def _go_on(self, state: int, budget: Budget) -> None:
        """Learn nothing further."""


def _learnt(iterations: int) -> StateRegrets:
    regrets = StateRegrets(joint_graph(load(GAME).machine))
    regrets.iterate(iterations)
    return regrets


def table(records: Sequence[Document]) -> str:
    """Points of each of the three, as they are listed."""
    head = ["players", "CFR gets ready", "points (2010)", "player 1", "player 2", "player 3"]
    rows = list[list[str]]()
    for record in records:
        start = record["published_start_seconds"]
        row = [
            record["seating"],
            f"{start / 60:g} min (2010)" if start else f"{record['iterations']} iterations",
            ", ".join(f"{points:g}" for points in record["published"] or ()),
            *map(shown_mean, record["totals"]),
        ]
        rows.append(row)
    return markdown(head, rows)


STUDY = Study(
    name="shafiei-5-4",
    what="CFR against UCT with three players",
    source=f"{SHAFIEI}, table 5.4",
    settings={
        "start_clocks": (210.0, 600.0),
        "iterations": (100, 300),
        "matches": 12,
        "divisor": 150,
    },
    quick={"start_clocks": (210.0,), "iterations": (1,), "matches": 3, "divisor": 10_000},
    parts=parts,
    run_part=run_part,
    table=table,
)
