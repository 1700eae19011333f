"""Cerny (2014), tables 6.1 to 6.6: Shodan as Monty Hall's guest, against random, TIIGR and itself.

The tables give what Shodan got on average, with draws as half a win: the means of table 7.1 come
out of them so, and his 240 matches a game are 30 for each of four clocks and two seats.

Departures: clocks are numbers of simulations, so that a run can be repeated to the byte. Shodan
made "tens of thousands of iterations" in 30 seconds of latent tic-tac-toe (section 6.3.2), about a
thousand a second, which is what stands for a second here (`simulations_a_second`); in Meier tens of
thousands at the beginning too, and up to millions at the end. TIIGR gets as many. In table 6.6 a
Shodan on a propositional network, the one that is counted, meets one on a theorem prover. The
thesis does not say how much faster the first is; `handicap` is the ratio that we take.

In table 6.1 there are more games than the thesis' 30, so that intervals are narrower. The number of
games in which the door was switched is counted, which says more than how often that was lucky.
`norns-belief` plays beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from fogspiel.core.values import mean_interval
from fogspiel.lab.framework.matches import MatchClock, play_pair
from fogspiel.lab.framework.presentation import columns, figure, given, half_interval, mean
from fogspiel.lab.framework.study import CERNY, Cell, Document, Settings, Study, grouped
from fogspiel.lab.norns.section_5 import play_runs

GUEST_GAME = "monty_hall"
TABLE_6_1: Mapping[int, tuple[float, float]] = {
    30: (63.33, 17.24), 60: (66.66, 16.87), 120: (60.00, 17.53), 300: (63.33, 17.24),
}  # fmt: skip
"""Wins in 100 by clock in seconds, and half of the interval."""


def run_guest(settings: Settings, seed: int, player: str, clock: int) -> Document:
    """Wins and switches of a player as Monty Hall's guest."""
    simulations = clock * settings["simulations_a_second"]
    played = play_runs(
        GUEST_GAME, player, simulations=simulations, runs=settings["games"], seed=seed + clock
    )
    return {
        "player": player,
        "clock_seconds": clock,
        "simulations": simulations,
        "games": settings["games"],
        "mean_goal": float(played.goals.mean()),
        "ci95": mean_interval(played.goals),
        "switches": played.made("switch"),
        "published": TABLE_6_1.get(clock) if player == "shodan" else None,
    }


MONTY_HALL = Study(
    name="shodan-6-1",
    what="Monty Hall's guest",
    source=f"{CERNY}, table 6.1",
    settings={
        "players": ("shodan", "norns-belief"),
        "clocks": tuple(TABLE_6_1),
        "simulations_a_second": 1_000,
        "games": 300,
    },
    quick={"clocks": (30,), "simulations_a_second": 50, "games": 20},
    cells=("players", "clocks"),
    run=run_guest,
    table=columns(
        ("player", "`{player}`"),
        ("clock (2014)", "{clock_seconds} s"),
        ("simulations a move", "{simulations:,}"),
        ("wins % (2014)", given("published", "{0[0]:.2f} ± {0[1]:.2f}")),
        ("wins %", mean(digits=2)),
        ("games", "{games}"),
        ("switched", "{switches}"),
    ),
)
SEATS = ("first", "second")


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """A table of the thesis."""

    number: str
    game: str
    opponent: str
    clocks: tuple[int, ...]  #: Seconds for a move
    published: Mapping[str, tuple[tuple[float, float], ...]]
    """Means and half of their intervals by seat, for each clock."""
    games: int
    handicap: int = 1  #: The factor by which the opponent has fewer simulations


EXPERIMENTS = (
    Experiment(
        number="6.2",
        game="latent_tic_tac_toe",
        opponent="random",
        clocks=(30, 60, 120, 200),
        published={
            "first": ((80.00, 12.07), (86.66, 9.32), (90.00, 8.66), (86.66, 10.43)),
            "second": ((68.33, 9.95), (71.66, 10.17), (75.00, 10.24), (85.00, 9.57)),
        },
        games=30,
    ),
    Experiment(
        number="6.3",
        game="meier",
        opponent="random",
        clocks=(30, 60, 120, 300),
        published={
            "first": ((86.66, 12.17), (90.00, 10.74), (93.33, 8.93), (93.33, 8.93)),
            "second": ((83.33, 13.34), (86.66, 12.17), (93.33, 8.93), (90.00, 10.74)),
        },
        games=60,
    ),
    Experiment(
        number="6.4",
        game="latent_tic_tac_toe",
        opponent="tiigr",
        clocks=(30, 60, 120, 200),
        published={
            "first": ((70.00, 12.95), (73.33, 12.19), (75.00, 12.21), (71.66, 13.84)),
            "second": ((21.66, 11.2), (28.33, 13.84), (23.33, 11.25), (16.66, 9.78)),
        },
        games=60,
    ),
    Experiment(
        number="6.5",
        game="meier",
        opponent="tiigr",
        clocks=(30, 60, 120, 300),
        published={
            "first": ((93.33, 8.93), (96.66, 6.43), (90.00, 10.74), (93.33, 8.93)),
            "second": ((20.00, 14.31), (16.66, 13.33), (16.66, 13.33), (13.33, 12.16)),
        },
        games=60,
    ),
    Experiment(
        number="6.6",
        game="latent_tic_tac_toe",
        opponent="shodan",
        clocks=(30, 60, 120, 200),
        published={
            "first": ((50.00, 14.86), (65.00, 11.65), (71.66, 12.15), (78.33, 12.15)),
            "second": ((28.33, 11.2), (36.66, 10.43), (45.00, 10.87), (51.66, 12.85)),
        },
        games=30,
        handicap=4,
    ),
)
BY_NUMBER = {experiment.number: experiment for experiment in EXPERIMENTS}


def cells(settings: Settings) -> list[Cell]:
    """Each clock in both seats."""
    return [(clock, seat) for clock in settings["clocks"] for seat in SEATS]


def run(number: str, settings: Settings, seed: int, clock: int, seat: str) -> Document:
    """Matches of Shodan in one seat, by one clock."""
    experiment, place = BY_NUMBER[number], SEATS.index(seat)
    players, handicaps = ["shodan", experiment.opponent], [1, settings["handicap"]]
    if place == 1:
        players.reverse()
        handicaps.reverse()
    simulations = clock * settings["simulations_a_second"]
    played = play_pair(
        experiment.game,
        players,
        games=settings["games"],
        seed=seed + clock + place,
        allowance=MatchClock(simulations=simulations),
        handicaps=handicaps,
    )
    (own,) = [result for result in played["results"] if result["entry"] == place]
    theirs = dict(zip(experiment.clocks, experiment.published[seat], strict=True))
    return {
        "table": number,
        "game": experiment.game,
        "opponent": experiment.opponent,
        "clock_seconds": clock,
        "seat": seat,
        "simulations": simulations,
        "opponents_simulations": simulations // settings["handicap"],
        **{key: own[key] for key in ("role", "games", "mean_goal", "ci95", "wins", "draws")},
        "published": theirs.get(clock),
    }


def plot(records: Sequence[Document], path: Path) -> None:
    """Draw a panel for each seat, goals by clock with intervals (figures 6.1 to 6.4)."""
    by_seat = grouped(records, "seat")
    seats = [seat for seat in SEATS if seat in by_seat]
    with figure(path, (7, 2.8), len(seats)) as panels:
        for panel, seat in zip(panels, seats, strict=True):
            own = by_seat[seat]
            clocks = [record["clock_seconds"] for record in own]
            means, halves = [record["mean_goal"] for record in own], [*map(half_interval, own)]
            panel.errorbar(clocks, means, halves, marker="o", markersize=3, label="ours")
            theirs = [record for record in own if record["published"]]
            panel.errorbar(
                [record["clock_seconds"] for record in theirs],
                [record["published"][0] for record in theirs],
                [record["published"][1] for record in theirs],
                fmt="x",
                color="black",
                label="published",
            )
            panel.set_title(own[0]["role"], loc="left")
            panel.set_xlabel("clock of the thesis in seconds")
            panel.set_ylabel("goal of shodan")
            panel.set_ylim(0, 105)
            panel.grid(linewidth=0.3)
        panels[0].legend(frameon=False)


def _study(experiment: Experiment) -> Study:
    whom = {"random": "random", "tiigr": "TIIGR", "shodan": "a slower Shodan"}[experiment.opponent]
    return Study(
        name=f"shodan-{experiment.number.replace('.', '-')}",
        what=f"Shodan against {whom} in {experiment.game.replace('_', ' ')}",
        source=f"{CERNY}, table {experiment.number}",
        settings={
            "clocks": experiment.clocks,
            "simulations_a_second": 1_000,
            "games": experiment.games,
            "handicap": experiment.handicap,
        },
        quick={"clocks": experiment.clocks[:1], "simulations_a_second": 10, "games": 4},
        cells=cells,
        run=partial(run, experiment.number),
        table=columns(
            ("clock (2014)", "{clock_seconds} s"),
            ("simulations a move", "{simulations:,}"),
            ("role", "{role}"),
            ("goal (2014)", given("published", "{0[0]:.2f} ± {0[1]:.2f}")),
            ("goal", mean(digits=2)),
            ("games", "{games}"),
            ("wins", "{wins}"),
            ("draws", "{draws}"),
        ),
        plot=plot,
    )


MATCHES = tuple(_study(experiment) for experiment in EXPERIMENTS)
