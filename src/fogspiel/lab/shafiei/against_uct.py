"""Shafiei (2010), tables 5.2 to 5.4, figures 5.7 and 5.8: CFR against UCT by the clock.

His clocks are divided, since our machine is faster. He tells no simulations a second. What can be
compared is the time to build all states of a game: for seven cards of Goofspiel his start clock of
60 seconds was just enough (section 5.3), and ours takes 0.1 seconds of one core, in the runs of
tables 5.2 and 5.3 still 0.3. An iteration of regrets is only some four times as fast as his (table
5.1), so that our players make fewer of them.
Departures: `sm-uct` begins with its first turn. Seconds are those of the processor that the players
themselves used, so that other work on the machine takes nothing from either.

- Table 5.2: his CFR player had all states of each game, and the clocks are divided so that ours
  just finds all states before play too. Beside it stands the player by matrix games, which he names
  as future work, in Goofspiel with five cards and with some goals to risk for what UCT gives away.
- Figures 5.7 and 5.8 and table 5.3: one clock is varied at a time, in Goofspiel with five cards;
  table 5.3 has all games of a figure together. The figures have no numbers printed with them.
  Departure: there are seven play clocks and nine start clocks, as many as he has (table 5.3); which
  ones his are is not printed, so these are our choice.
- Table 5.4: three players of `smallest`. His start clock of 3.5 minutes was just enough for CFR to
  build all states; with 10 minutes it had time for iterations too. Departures: the shorter start
  clock is again just enough to find all states: 11,505 in which play goes on, with 1,000 joint
  moves each, take 0.9 seconds of the 1.05 that `cfr` lets itself have for it. An iteration takes a
  tenth of a second, so that three to six are made with the shorter clock and 30 with the longer
  one; by table 5.1 his took about two seconds, a hundredth of the time for all states. So the
  second seating is also played with as many iterations as settings say, made before and not in
  turns. He tells no number of games, and seats are as listed; ours move on after every game. The
  player that trusts its model of the opponents is ours.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from fogspiel.core.budget import Budget
from fogspiel.games.load import load
from fogspiel.lab.framework.matches import MatchClock, play_pair
from fogspiel.lab.framework.presentation import (
    columns,
    figure,
    given,
    half_interval,
    markdown,
    mean,
    shown_mean,
)
from fogspiel.lab.framework.study import (
    SHAFIEI,
    Cell,
    Document,
    Settings,
    Study,
    grouped,
)
from fogspiel.machine.protocol import State
from fogspiel.players.protocol import Agent
from fogspiel.players.solving.entries import regrets_ahead
from fogspiel.players.solving.lookahead import LookaheadPlayer, Outlook
from fogspiel.solve.regret.cfr_states import StateRegrets
from fogspiel.tree.state_graph import build_state_graph

UCT = "sm-uct"  #: Algorithm 1 of the thesis, which plays the move with the best mean
FEW_AT_ONCE_UCT = f"{UCT}:together=8"
"""The same, closer to the letter: few simulations are under way at once."""
CFR = "cfr"
WHOLE_CFR = "cfr:99"
"""Looks ahead to the end of every game here, as his did: the depth is chosen before play."""
PLAY_SECONDS = 10.0


def clocks(start_seconds: float, play_seconds: float, divisor: float) -> MatchClock:
    """Clocks of the thesis, divided."""
    return MatchClock(
        seconds=play_seconds / divisor,
        start_seconds=start_seconds / divisor,
        of_processor=True,
    )


class Table52Row(NamedTuple):
    """A row of table 5.2."""

    title: str
    start_seconds: float
    points: float  #: Points of CFR; UCT has the rest of 100


MAIN = "goofspiel_5"  #: The game of his best result for CFR, in which others play too
PUBLISHED: Mapping[str, Table52Row] = {
    "repeated_rps_9": Table52Row("9 round RPS", 30.0, 52.0),
    "simultaneous_breakthrough": Table52Row("simultaneous breakthrough (3x5)", 30.0, 48.25),
    "simultaneous_tic_tac_toe": Table52Row("simultaneous tic-tac-toe", 30.0, 50.0),
    "goofspiel_5": Table52Row("Goofspiel (5 cards)", 30.0, 55.0),
    "goofspiel_7": Table52Row("Goofspiel (7 cards)", 60.0, 53.25),
}


def uct_cells(settings: Settings) -> list[Cell]:
    """CFR in each game, then each player beside it."""
    games = [game for game in PUBLISHED if game in settings["games"]]
    return [(game, WHOLE_CFR) for game in games] + [(MAIN, own) for own in settings["beside"]]


def run_against_uct(settings: Settings, seed: int, game: str, player: str) -> Document:
    """Matches of a player against UCT."""
    row, is_cfr = PUBLISHED[game], player == WHOLE_CFR
    played = play_pair(
        game,
        [player, UCT],
        games=settings["matches" if is_cfr else "matches_beside"],
        seed=seed,
        allowance=clocks(row.start_seconds, PLAY_SECONDS, settings["divisor"]),
        swap=True,
    )
    return {**played, "player": player, "published": row.points if is_cfr else None}


GAMES = Study(
    name="shafiei-5-2",
    what="CFR against UCT in games with simultaneous moves",
    source=f"{SHAFIEI}, table 5.2",
    settings={
        "games": tuple(PUBLISHED),
        "beside": ("sm-lp:safe=5",),
        "matches": 200,
        "matches_beside": 400,
        "divisor": 70,
    },
    quick={"games": ("goofspiel_5",), "matches": 2, "matches_beside": 2, "divisor": 500},
    cells=uct_cells,
    run=run_against_uct,
    table=columns(
        ("game", lambda record: PUBLISHED[record["game"]].title),
        ("player", "`{player}`"),
        ("against UCT (2010)", given("published", "{0:g}")),
        ("against UCT", mean("totals", 0)),
        ("wins, draws, losses", "{totals[0][wins]}, {totals[0][draws]}, {totals[0][losses]}"),
    ),
)


PLAY, START = "play clock", "start clock"
TITLES: Mapping[str, str] = {PLAY: "figure 5.7", START: "figure 5.8"}
USUAL: Mapping[str, float] = {PLAY: PLAY_SECONDS, START: 30.0}
TABLE_5_3: Mapping[str, tuple[float, float, int]] = {
    # what varies: points of CFR, half of the interval, games
    PLAY: (52.55, 1.88, 1400),
    START: (51.10, 1.66, 1800),
}


def clock_cells(settings: Settings) -> list[Cell]:
    """All values of each clock."""
    return [
        (varied, seconds)
        for varied in TITLES
        for seconds in settings[f"{varied.split(maxsplit=1)[0]}_clocks"]
    ]


def run_clock(settings: Settings, seed: int, varied: str, seconds: float) -> Document:
    """Matches of CFR against UCT with one clock changed."""
    chosen = {**USUAL, varied: seconds}
    played = play_pair(
        MAIN,
        [settings["player"], UCT],
        games=settings["matches"],
        seed=seed + int(100 * seconds) + (varied == START),
        allowance=clocks(chosen[START], chosen[PLAY], settings["divisor"]),
        swap=True,
    )
    return {**played, "varied": varied, "published_seconds": seconds}


def clock_table(records: Sequence[Document]) -> str:
    """Points of CFR for each clock, and for all clocks of a figure together."""
    rows = list[list[str]]()
    for varied, own in grouped(records, "varied").items():
        key = "seconds" if varied == PLAY else "start_seconds"
        rows += [
            [f"{varied} ({TITLES[varied]})", f"{record['published_seconds']:g} s",
             f"{record[key]:.4g} s", str(record["games"]), "", shown_mean(record["totals"][0])]
            for record in own
        ]  # fmt: skip
        theirs, half, games = TABLE_5_3[varied]
        total = f"{sum(record['games'] for record in own)} ({games} in 2010)"
        rows.append([f"{varied} (table 5.3)", "all", "all", total, f"{theirs:g} ± {half:g}",
                     _together(own)])  # fmt: skip
    return markdown(["varied", "clock (2010)", "clock", "games", "CFR (2010)", "CFR"], rows)


def _together(records: Sequence[Document]) -> str:
    """The mean of all games of some records that have as many each."""
    tallies = [record["totals"][0] for record in records]
    both = sum(tally["mean_goal"] for tally in tallies) / len(tallies)
    return f"{both:.2f} ± {math.hypot(*map(half_interval, tallies)) / len(tallies):.2f}"


def plot_clocks(records: Sequence[Document], path: Path) -> None:
    """Draw points of both players by the clock that varies."""
    with figure(path, (9, 3.5), len(TITLES)) as panels:
        for panel, (varied, title) in zip(panels, TITLES.items(), strict=True):
            own = [record for record in records if record["varied"] == varied]
            seconds = [record["published_seconds"] for record in own]
            for place, label in enumerate(("CFR", "UCT")):
                tallies = [record["totals"][place] for record in own]
                means, halves = [t["mean_goal"] for t in tallies], [*map(half_interval, tallies)]
                panel.errorbar(seconds, means, halves, marker="o", markersize=3, capsize=2,
                               linewidth=1, label=label)  # fmt: skip
            panel.axhline(50.0, color="black", linewidth=0.3)
            panel.set_title(f"{title}: {varied}", loc="left")
            panel.set_xlabel(f"{varied} of 2010 in seconds; ours is a part of it")
        panels[0].set_ylabel("points")
        panels[0].legend(frameon=False)


CLOCKS = Study(
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
    cells=clock_cells,
    separator=": ",
    run=run_clock,
    table=clock_table,
    plot=plot_clocks,
)


GAME_OF_THREE = "smallest"
TRUSTING = f"{CFR}:trust=1"
"""Answers habits of its opponents, and looks as far ahead as a turn allows."""
PREPARED = f"{CFR}, prepared"
SEATINGS: Mapping[str, tuple[str, ...]] = {
    "CFR - UCT - UCT": (WHOLE_CFR, FEW_AT_ONCE_UCT, FEW_AT_ONCE_UCT),
    "UCT - CFR - CFR": (FEW_AT_ONCE_UCT, WHOLE_CFR, WHOLE_CFR),
    "trusting CFR - UCT - UCT": (TRUSTING, FEW_AT_ONCE_UCT, FEW_AT_ONCE_UCT),
    "UCT - prepared CFR - prepared CFR": (FEW_AT_ONCE_UCT, PREPARED, PREPARED),
}
TABLE_5_4: Mapping[tuple[str, float], tuple[float, ...]] = {
    ("CFR - UCT - UCT", 210.0): (81.5, 50.1, 51.7),
    ("CFR - UCT - UCT", 600.0): (79.9, 46.6, 50.1),
    ("UCT - CFR - CFR", 210.0): (72.1, 68.3, 72.7),
    ("UCT - CFR - CFR", 600.0): (50.0, 79.8, 70.6),
}


def seating_cells(settings: Settings) -> list[Cell]:
    """Each seating with each start clock, or where CFR is prepared with numbers of iterations."""
    return [
        (seating, number)
        for seating, players in SEATINGS.items()
        for number in settings["iterations" if PREPARED in players else "start_clocks"]
    ]


def run_seating(settings: Settings, seed: int, seating: str, number: float) -> Document:
    """Matches of three players."""
    players = SEATINGS[seating]
    makers: dict[str, Callable[[], Agent]] = {}
    start, iterations = number, None
    if PREPARED in players:
        start, iterations = 0.0, int(number)
        regrets = StateRegrets(build_state_graph(load(GAME_OF_THREE).machine))
        regrets.iterate(iterations)
        makers[PREPARED] = partial(Prepared, regrets)
    played = play_pair(
        GAME_OF_THREE,
        players,
        games=settings["matches"],
        seed=seed,
        allowance=clocks(start or PLAY_SECONDS, PLAY_SECONDS, settings["divisor"]),
        swap=True,
        makers=makers,
    )
    return {
        **played,
        "seating": seating,
        "iterations": iterations,
        "published_start_seconds": start or None,
        "published": TABLE_5_4.get((seating, start)),
    }


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


def _preparation(record: Document) -> str:
    start = record["published_start_seconds"]
    return f"{start / 60:g} min (2010)" if start else f"{record['iterations']} iterations"


THREE_PLAYERS = Study(
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
    cells=seating_cells,
    separator=": ",
    run=run_seating,
    table=columns(
        ("players", "{seating}"),
        ("CFR gets ready", _preparation),
        ("points (2010)", lambda record: ", ".join(f"{p:g}" for p in record["published"] or ())),
        ("player 1", mean("totals", 0)),
        ("player 2", mean("totals", 1)),
        ("player 3", mean("totals", 2)),
    ),
)
