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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32

from fogspiel.core.statistics import wilson
from fogspiel.lab.framework.markdown import markdown
from fogspiel.lab.framework.matches import MatchClock, play_pair
from fogspiel.lab.framework.study import Document, Settings, Study

PLAYERS = {
    "random": "random",
    "greedy": "sdpog:greedy",
    "mcts100": "sdpog:mcts100",
    "mcts1000": "sdpog:mcts1000",
}
SIMULATIONS = {"random": 1, "greedy": 1, "mcts100": 100, "mcts1000": 1_000}
"""That each history takes."""

Cells = Mapping[tuple[str, str], tuple[int, int]]
"""Wins of the row and of the column, by the two."""

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
"""The share of games that a best response to random play wins, both seats together, computed
exactly: cards that were not seen are as probable in the hand of a random player as in the deck."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """A game of the tables, in a size."""

    title: str
    published: Cells
    ours: tuple[str, ...]
    """Players that meet random."""

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


def parts(settings: Settings) -> list[str]:
    """The cells of each game, then our players in it."""
    return [
        f"{game} {row} {column}"
        for game in GAMES
        if game in settings["games"]
        for row, column in [
            *GAMES[game].published,
            *(("random", player) for player in GAMES[game].ours),
        ]
    ]


def run_part(settings: Settings, seed: int, part: str) -> list[Document]:
    """One record: a cell."""
    game, row, column = part.split()
    played = play_pair(
        game,
        [PLAYERS.get(row, row), PLAYERS.get(column, column)],
        games=settings["matches"],
        # Draws of their own: with the same deals in all cells, all would be lucky or none.
        seed=seed + crc32(part.encode()),
        allowance=MatchClock(simulations=_most_simulations(settings, row, column)),
        handicaps=[_handicap(settings, player, row, column) for player in (row, column)],
        swap=True,
    )
    first, second = (total["wins"] for total in played["totals"])
    return [
        {
            "game": game,
            "row": row,
            "column": column,
            "games": settings["matches"],
            "simulations": [_simulations(settings, player) for player in (row, column)],
            "wins": [first, second],
            "draws": played["totals"][0]["draws"],
            "column_ci95": wilson(second, settings["matches"]),
            "published": GAMES[game].published.get((row, column)),
            "best_published": GAMES[game].best_against_random(),
            "results": played["results"],
        }
    ]


def _simulations(settings: Settings, player: str) -> int:
    """That a player may use for a decision."""
    if player in SIMULATIONS:
        return int(settings["histories"] * SIMULATIONS[player])
    return int(settings["simulations"])


def _most_simulations(settings: Settings, row: str, column: str) -> int:
    return max(_simulations(settings, player) for player in (row, column))


def _handicap(settings: Settings, player: str, row: str, column: str) -> int:
    return _most_simulations(settings, row, column) // _simulations(settings, player)


def table(records: Sequence[Document]) -> str:
    """Wins of row and column, his beside ours; `at least` marks players that reach his best."""
    head = ["game", "row - column", "wins (2012)", "wins", "draws", "column's share, 95 %", "best"]
    rows = list[list[str]]()
    for record in records:
        row, column = record["wins"]
        theirs = record["published"]
        low, high = record["column_ci95"]
        cells = [
            GAMES[record["game"]].title,
            f"{record['row']} - {record['column']}",
            f"{theirs[0]}-{theirs[1]}" if theirs else "",
            f"{row}-{column}",
            str(record["draws"]),
            f"{column / record['games']:.3f} ({low:.3f} to {high:.3f})",
            _judged(record) if record["row"] == "random" else "",
        ]
        rows.append(cells)
    return markdown(head, rows)


def _judged(record: Document) -> str:
    """His best against random, and how ours compares."""
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
    parts=parts,
    run_part=run_part,
    table=table,
)
