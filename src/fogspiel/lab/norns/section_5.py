"""Geisser, Keller & Mattmueller (2014), section 5: games of one player by number of simulations.

The figure's curves have no numbers; what its text says of them stands in `PUBLISHED`. Beside the
three games of figure 3 and the two smaller ones, ours has two more games of one player.

Departures: for `norns-belief` a state of a belief whose moves are looked at counts as a simulation.
The best that can be got is proven by bounds that meet.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.terms import format_term
from fogspiel.core.values import mean_interval
from fogspiel.games.load import load
from fogspiel.lab.framework.presentation import columns, figure, half_interval, mean
from fogspiel.lab.framework.study import Cell, Document, Settings, Study
from fogspiel.machine.protocol import Machine, player_roles
from fogspiel.play.loop import play_match
from fogspiel.players.catalogue import make_player
from fogspiel.search.pomdp.hsvi import BeliefBounds
from fogspiel.search.pomdp.mdp_bounds import state_layers

ENDLESS = Budget.of(simulations=1 << 40)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskingGame:
    """A game of one player who can ask, and the paper's words about it."""

    title: str
    published: str
    move: str | None = None  #: The move that a good player makes in every run


PUBLISHED: Mapping[str, AskingGame] = {
    "mastermind": AskingGame(title="mastermind", published="nearly optimal from 1,000"),
    "number_guessing_8": AskingGame(title="number guessing 8", published="about 90"),
    "number_guessing_16": AskingGame(
        title="number guessing 16", published="about 80; 78.7 at 1,000,000"
    ),
    "monty_hall": AskingGame(title="Monty Hall", published="always switches", move="switch"),
    "exploding_bomb": AskingGame(title="exploding bomb", published="always asks, 90", move="ask"),
    "coin_flip": AskingGame(title="coin flip", published=""),
    "slippery_robot": AskingGame(title="slippery robot", published=""),
}
FIGURE = ("mastermind", "number_guessing_8", "number_guessing_16")
LEVELS: Mapping[str, float] = {"number_guessing_8": 90.0, "number_guessing_16": 80.0}
"""The goals that the curves of the paper approach."""


def cells(settings: Settings) -> list[Cell]:
    """All games and players with each number of simulations, those that cost most last."""
    return [
        (game, player, simulations)
        for simulations in settings["simulations"]
        for game in settings["games"]
        for player in settings["players"]
    ]


def run(settings: Settings, seed: int, game: str, player: str, simulations: int) -> Document:
    """One point of the figure."""
    began = time.process_time()
    runs = settings["runs"]
    played = play_runs(game, player, simulations=simulations, runs=runs, seed=seed)
    scale = load_once(game).goal_scale
    mean_goal = float(played.goals.mean())
    ends = mean_interval(played.goals) or (mean_goal, mean_goal)
    move = PUBLISHED[game].move
    return {
        "game": game,
        "player": player,
        "simulations": simulations,
        "runs": runs,
        "mean_goal": mean_goal / scale,
        "ci95": [bound / scale for bound in ends],
        "goals": {str(goal): count for goal, count in sorted(played.counts().items())},
        "move": move,
        "made_in": None if move is None else played.made(move),
        "optimum": optimum(game),
        "seconds_a_run": round((time.process_time() - began) / runs, 3),
        "published": PUBLISHED[game].published,
    }


@dataclass(frozen=True, slots=True)
class Runs:
    """The matches of one player, one after the other."""

    goals: NDArray[np.int64]  #: (runs,)
    moves: tuple[frozenset[str], ...]  #: The moves that were made in each run

    def counts(self) -> Counter[int]:
        """The number of runs with each goal."""
        return Counter(self.goals.tolist())

    def made(self, move: str) -> int:
        """The number of runs in which a move was made."""
        return sum(move in own for own in self.moves)


def play_runs(game: str, player: str, *, simulations: int, runs: int, seed: int) -> Runs:
    """Let a player play a game of one role again and again."""
    machine = load_once(game)
    (role,) = player_roles(machine)
    goals, moves = np.empty(runs, np.int64), list[frozenset[str]]()

    def budget() -> Budget:
        return Budget.of(simulations=simulations)

    for run in range(runs):
        match = play_match(
            machine,
            {role: make_player(player)},
            start_budget=budget,
            turn_budget=budget,
            seed=int(np.random.SeedSequence([seed, run]).generate_state(1)[0]),
        )
        goals[run] = match.goals[role]
        own = (machine.move_term(role, joint[role]) for joint in match.joints)
        moves.append(frozenset(map(format_term, own)))
    return Runs(goals, tuple(moves))


@cache
def load_once(game: str) -> Machine:
    """The machine of a game, always the same one, with which analyses of it are kept."""
    return load(game).machine


@cache
def optimum(game: str) -> float:
    """The mean goal of an optimal player, by bounds that meet."""
    machine = load_once(game)
    steps = state_layers(machine, player_roles(machine)[0], ENDLESS)
    assert steps is not None, f"{game} has few states"
    start = machine.initial()[None, :]
    found = BeliefBounds(steps).run(0, start, np.ones(1), ENDLESS)
    return round(found.lower / machine.goal_scale, 6)


def _good(record: Document) -> str:
    """The number of runs that went as well as they can, where one run can show that."""
    if record["move"] is not None:
        return f"{record['move']} in {record['made_in']}"
    if record["game"] in FIGURE:
        return f"{record['goals'].get('100', 0)} with 100"
    return ""


POINTS = columns(
    ("game", lambda record: PUBLISHED[record["game"]].title),
    ("optimum", "{optimum:.2f}"),
    ("player", "`{player}`"),
    ("simulations", "{simulations:,}"),
    ("goal", mean(digits=2)),
    ("runs", "{runs}"),
    ("as it should be", _good),
    ("seconds a run", "{seconds_a_run:.2f}"),
    ("published", lambda record: record["published"] if record["player"] == "norns" else ""),
)


def table(records: Sequence[Document]) -> str:
    """Mean goals by game, player and simulations."""
    games = list(PUBLISHED)
    return POINTS(sorted(records, key=lambda own: (games.index(own["game"]), own["player"])))


def plot(records: Sequence[Document], path: Path) -> None:
    """Draw figure 3, a panel for each game."""
    games = [game for game in FIGURE if any(record["game"] == game for record in records)]
    with figure(path, (9, 2.8), max(1, len(games))) as panels:
        for panel, game in zip(panels, games, strict=True):
            for player, marker in (("norns", "o"), ("norns-belief", "s")):
                own = [r for r in records if r["game"] == game and r["player"] == player]
                panel.errorbar(
                    [record["simulations"] for record in own],
                    [record["mean_goal"] for record in own],
                    [half_interval(record) for record in own],
                    marker=marker,
                    markersize=3,
                    label=player,
                )
            if game in LEVELS:
                panel.axhline(
                    LEVELS[game], color="black", linestyle=":", label="published, in the end"
                )
            panel.set_xscale("log")
            panel.set_ylim(0, 105)
            panel.set_title(PUBLISHED[game].title, loc="left")
            panel.set_xlabel("simulations a move")
            panel.grid(linewidth=0.3)
        panels[0].set_ylabel("goal")
        panels[-1].legend(frameon=False)


STUDY = Study(
    name="norns-3",
    what="One player who can ask",
    source="F. Geisser, T. Keller and R. Mattmueller, Past, present, and future: an optimal online "
    "algorithm for single-player GDL-II games (ECAI 2014), figure 3 and section 5",
    settings={
        "games": tuple(PUBLISHED),
        "players": ("norns", "norns-belief"),
        "simulations": (10, 100, 1_000, 10_000, 100_000, 1_000_000),
        "runs": 100,
    },
    quick={"simulations": (1_000,), "runs": 5},
    cells=cells,
    run=run,
    table=table,
    plot=plot,
)
