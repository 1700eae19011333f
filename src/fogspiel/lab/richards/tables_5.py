"""Richards (2012), tables 5.1 and 5.2: SDPOG in Difference, Battleship, Racko and GOPS.

Each cell gives the games that the row and the column won, of 200, half of them in either seat. The
heuristics are `greedy`, and UCT from each possible state with 100 or 1,000 simulations. Below his
cells stand players that he did not have, against random.

Departures: the thesis does not say how large the games of these tables were. Battleship, GOPS and
Difference are those of appendix B; of the last, where the first cards lie there from the beginning,
the best possible answer to random wins 0.891 of all games (`MOST_POSSIBLE`). Of Racko we play the
smallest in table 4.1, six slots: in random playouts a rack of ten, as in the appendix, is never in
order, so that simulations could not tell moves apart. The number of histories that are weighed for
a decision is ours (`histories`). Draws count for nobody, as with him.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fogspiel.core.values import wilson
from fogspiel.lab.framework.matches import MatchClock, play_pair
from fogspiel.lab.framework.presentation import columns, given
from fogspiel.lab.framework.study import Cell, Document, Settings, Study, cell_seed

PLAYERS = {
    "random": "random",
    "greedy": "sdpog:greedy",
    "mcts100": "sdpog:mcts100",
    "mcts1000": "sdpog:mcts1000",
}
SIMULATIONS = {"random": 1, "greedy": 1, "mcts100": 100, "mcts1000": 1_000}
"""Simulations for each history."""

Cells = Mapping[tuple[str, str], tuple[int, int]]  #: Wins of the row and of the column, by the two

DIFFERENCE: Cells = {
    ("random", "greedy"): (47, 153),
    ("random", "mcts100"): (28, 172),
    ("random", "mcts1000"): (25, 175),
    ("greedy", "mcts100"): (79, 121),
    ("greedy", "mcts1000"): (67, 133),
    ("mcts100", "mcts1000"): (91, 109),
}
BATTLESHIP: Cells = {
    ("random", "mcts100"): (16, 184),
    ("random", "mcts1000"): (12, 188),
    ("mcts100", "mcts1000"): (63, 137),
}
RACKO: Cells = {
    ("random", "mcts100"): (1, 199),
    ("random", "mcts1000"): (3, 197),
    ("mcts100", "mcts1000"): (82, 118),
}
GOPS: Cells = {
    ("random", "mcts100"): (74, 121),
    ("random", "mcts1000"): (80, 119),
    ("mcts100", "mcts1000"): (99, 99),
}


MOST_POSSIBLE = {"difference(9,1)": 0.89054}
"""The probability that a best response to random play wins, both seats together, computed
exactly: cards that were not seen are as probable in the hand of a random player as in the deck."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """A game of the tables, in a size."""

    title: str
    published: Cells
    ours: tuple[str, ...]  #: Players that meet random

    def best_against_random(self) -> tuple[int, int]:
        """Games won and lost by the best of his players that met random."""
        against = [cell for (row, _), cell in self.published.items() if row == "random"]
        lost, won = max(against, key=lambda cell: cell[1])
        return won, lost


GAMES: Mapping[str, Played] = {
    "difference(9,1)": Played(
        title="Difference, 9 cards", published=DIFFERENCE, ours=("tiigr", "ismcts", "answer")
    ),
    "battleship_4_2": Played(
        title="Battleship, 4x4, two ships", published=BATTLESHIP, ours=("ismcts", "tignum")
    ),
    "racko(30,6)": Played(title="Racko, 30 cards, 6 slots", published=RACKO, ours=("ismcts",)),
    "gops(10,0)": Played(title="GOPS, 10 rounds", published=GOPS, ours=("ismcts",)),
}


def cells(settings: Settings) -> list[Cell]:
    """The cells of each game, then our players in it."""
    return [
        (game, row, column)
        for game, own in GAMES.items()
        if game in settings["games"]
        for row, column in [*own.published, *(("random", player) for player in own.ours)]
    ]


def run(settings: Settings, seed: int, game: str, row: str, column: str) -> Document:
    """Matches between a row and a column."""
    simulations = [
        settings["histories"] * SIMULATIONS[player]
        if player in SIMULATIONS
        else settings["simulations"]
        for player in (row, column)
    ]
    played = play_pair(
        game,
        [PLAYERS.get(row, row), PLAYERS.get(column, column)],
        games=settings["matches"],
        seed=cell_seed(seed, game, row, column),
        allowance=MatchClock(simulations=max(simulations)),
        handicaps=[max(simulations) // own for own in simulations],
        swap=True,
    )
    first, second = (total["wins"] for total in played["totals"])
    return {
        "game": game,
        "row": row,
        "column": column,
        "games": settings["matches"],
        "simulations": simulations,
        "wins": [first, second],
        "draws": played["totals"][0]["draws"],
        "column_ci95": wilson(second, settings["matches"]),
        "published": GAMES[game].published.get((row, column)),
        "best_published": GAMES[game].best_against_random(),
        "results": played["results"],
    }


def _share(record: Document) -> str:
    low, high = record["column_ci95"]
    return f"{record['wins'][1] / record['games']:.3f} ({low:.3f} to {high:.3f})"


def _judged(record: Document) -> str:
    """His best against random, and how ours compares; `at least` where ours reaches it."""
    if record["row"] != "random":
        return ""
    best = record["best_published"]
    share, theirs = record["wins"][1] / record["games"], best[0] / 200
    if share >= theirs:
        how = "at least"
    elif record["column_ci95"][1] >= theirs:
        how = "below, within the interval of"
    else:
        how = "below"
    most = MOST_POSSIBLE.get(record["game"])
    limit = f"; {most:.3f} is possible" if most is not None else ""
    return f"{how} {best[0]}-{best[1]}{limit}"


STUDY = Study(
    name="richards-5",
    what="SDPOG in four games with hidden information",
    source="M. D. Richards, Reasoning and decisions in partially observable games (PhD thesis, "
    "University of Illinois 2012), tables 5.1 and 5.2",
    settings={"games": tuple(GAMES), "matches": 200, "histories": 8, "simulations": 8_000},
    quick={"games": ("difference(9,1)", "battleship_4_2"), "matches": 2, "simulations": 200},
    cells=cells,
    run=run,
    table=columns(
        ("game", lambda record: GAMES[record["game"]].title),
        ("row - column", "{row} - {column}"),
        ("wins (2012)", given("published", "{0[0]}-{0[1]}")),
        ("wins", "{wins[0]}-{wins[1]}"),
        ("draws", "{draws}"),
        ("column's share, 95 %", _share),
        ("best", _judged),
    ),
)
