"""Geisser, Keller & Mattmueller (2014), section 5: one-player games by number of simulations.

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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.statistics import mean_interval
from fogspiel.core.terms import format_term
from fogspiel.games.load import load
from fogspiel.lab.framework.figures import draw
from fogspiel.lab.framework.markdown import markdown, with_interval
from fogspiel.lab.framework.study import Document, Settings, Study
from fogspiel.machine.protocol import Machine
from fogspiel.play.loop import play_match, roles_to_play
from fogspiel.players.catalogue import make_player
from fogspiel.search.pomdp.hsvi import BeliefBounds
from fogspiel.search.pomdp.mdp_bounds import state_layers

ENDLESS = Budget.of(simulations=1 << 40)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskingGame:
    """What is known of a game."""

    title: str
    published: str
    """What the paper says, in short."""
    move: str | None = None
    """The move that a good player makes in every run."""


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
"""What the curves of the paper come to."""


def parts(settings: Settings) -> list[str]:
    """A game, a player and a number of simulations each, those that cost most last."""
    return [
        f"{game} {player} {simulations}"
        for simulations in settings["simulations"]
        for game in settings["games"]
        for player in settings["players"]
    ]


def run_part(settings: Settings, seed: int, part: str) -> list[Document]:
    """One record: a point of the figure."""
    game, player, simulations = part.split()
    began = time.process_time()
    runs = settings["runs"]
    played = play_runs(game, player, simulations=int(simulations), runs=runs, seed=seed)
    scale = load_once(game).goal_scale
    mean = float(played.goals.mean())
    move = PUBLISHED[game].move
    return [
        {
            "game": game,
            "player": player,
            "simulations": int(simulations),
            "runs": runs,
            "mean_goal": mean / scale,
            "ci95": [bound / scale for bound in mean_interval(played.goals) or (mean, mean)],
            "goals": {str(goal): count for goal, count in sorted(played.counts().items())},
            "move": move,
            "made_in": None if move is None else played.made(move),
            "optimum": optimum(game),
            "seconds_a_run": round((time.process_time() - began) / runs, 3),
            "published": PUBLISHED[game].published,
        }
    ]


@dataclass(frozen=True, slots=True)
class Runs:
    """What one player did, game after game."""

    goals: NDArray[np.int64]
    """(runs,)"""
    moves: tuple[frozenset[str], ...]
    """Of each run."""

    def counts(self) -> Counter[int]:
        """How often each goal was got."""
        return Counter(self.goals.tolist())

    def made(self, move: str) -> int:
        """In how many runs a move was made."""
        return sum(move in own for own in self.moves)


def play_runs(game: str, player: str, *, simulations: int, runs: int, seed: int) -> Runs:
    """Let a player play a game of one role again and again."""
    machine = load_once(game)
    (role,) = roles_to_play(machine)
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
    """What was found out about a machine is kept with it."""
    return load(game).machine


@cache
def optimum(game: str) -> float:
    """What the best player gets on average, by bounds that meet."""
    machine = load_once(game)
    steps = state_layers(machine, roles_to_play(machine)[0], ENDLESS)
    assert steps is not None, f"{game} has few states"
    start = machine.initial()[None, :]
    found = BeliefBounds(steps).run(0, start, np.ones(1), ENDLESS)
    return round(found.lower / machine.goal_scale, 6)


def table(records: Sequence[Document]) -> str:
    """Goals on average by game, player and simulations."""
    head = ["game", "optimum", "player", "simulations", "goal", "runs", "as it should be",
            "seconds a run", "published"]  # fmt: skip
    rows = list[list[str]]()
    games = list(PUBLISHED)
    for record in sorted(records, key=lambda own: (games.index(own["game"]), own["player"])):
        row = [
            PUBLISHED[record["game"]].title,
            f"{record['optimum']:.2f}",
            f"`{record['player']}`",
            f"{record['simulations']:,}",
            with_interval(record["mean_goal"], record["ci95"], 2),
            str(record["runs"]),
            _good(record),
            f"{record['seconds_a_run']:.2f}",
            record["published"] if record["player"] == "norns" else "",
        ]
        rows.append(row)
    return markdown(head, rows)


def _good(record: Document) -> str:
    """How many runs went as well as they can, where that can be told from one run."""
    if record["move"] is not None:
        return f"{record['move']} in {record['made_in']}"
    if record["game"] in FIGURE:
        return f"{record['goals'].get('100', 0)} with 100"
    return ""


def plot(records: Sequence[Document], path: Path) -> None:
    """Figure 3, a panel for each game."""
    games = [game for game in FIGURE if any(record["game"] == game for record in records)]

    def fill(panels: Sequence[Any]) -> None:
        for panel, game in zip(panels, games, strict=True):
            for player, marker in (("norns", "o"), ("norns-belief", "s")):
                own = [r for r in records if r["game"] == game and r["player"] == player]
                panel.errorbar(
                    [record["simulations"] for record in own],
                    [record["mean_goal"] for record in own],
                    [(record["ci95"][1] - record["ci95"][0]) / 2 for record in own],
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

    draw(path, (9, 2.8), max(1, len(games)), fill)


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
    parts=parts,
    run_part=run_part,
    table=table,
    plot=plot,
)
