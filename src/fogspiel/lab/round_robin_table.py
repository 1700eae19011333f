"""Scores of a round robin: who is best where, and whether `auto` keeps up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fogspiel.lab.study import Document

AUTO = "auto"
DEVIATIONS = 1.96
"""Of a normal distribution, for 95 %."""


@dataclass(frozen=True, slots=True)
class Score:
    """A player's mean over its opponents in one game, and how far it may be off."""

    mean: float
    error: float
    """Standard error: that of deals within pairs."""

    def __str__(self) -> str:
        """Mean and half an interval."""
        return f"{self.mean:.1f} ± {DEVIATIONS * self.error:.1f}"


def scores(records: Sequence[Document], game: str) -> dict[str, Score]:
    """Of every player of a game, the best first."""
    shares: dict[str, list[list[float]]] = {}
    for record in records:
        if record["game"] == game:
            for player, own in zip(record["players"], record["shares"], strict=True):
                shares.setdefault(player, []).append(own)
    found = {player: _score(pairs) for player, pairs in shares.items()}
    return dict(sorted(found.items(), key=lambda entry: -entry[1].mean))


def _score(pairs: Sequence[Sequence[float]]) -> Score:
    means = [float(np.mean(pair)) for pair in pairs]
    squares = [float(np.var(pair, ddof=1)) / len(pair) for pair in pairs if len(pair) > 1]
    return Score(float(np.mean(means)), math.sqrt(sum(squares)) / len(pairs))


def table(records: Sequence[Document]) -> str:
    """`auto` beside the best other player of each game, then the means over games."""
    games = list(dict.fromkeys(record["game"] for record in records))
    by_game = {game: scores(records, game) for game in games}
    by_game = {game: found for game, found in by_game.items() if AUTO in found and len(found) > 1}
    return "\n".join([*_games(by_game), "", *_players(by_game)])


def _games(by_game: dict[str, dict[str, Score]]) -> list[str]:
    lines = [
        "| game | auto | best other | | difference | all others |",
        "|---|---|---|---|---|---|",
    ]
    for game, found in by_game.items():
        others = [player for player in found if player != AUTO]
        auto, best = found[AUTO], found[others[0]]
        error = math.hypot(auto.error, best.error)
        gap = auto.mean - best.mean
        sign = (
            "worse" if gap < -DEVIATIONS * error else "better" if gap > DEVIATIONS * error else ""
        )
        rest = ", ".join(f"{player} {found[player].mean:.1f}" for player in others[1:])
        shown = f"{gap:+.1f} ± {DEVIATIONS * error:.1f} {sign}"
        lines.append(f"| {game} | {auto} | {others[0]} | {best} | {shown.strip()} | {rest} |")
    return lines


def _players(by_game: dict[str, dict[str, Score]]) -> list[str]:
    """Each player over its games, and `auto` over the same ones."""
    players = sorted({player for found in by_game.values() for player in found} - {AUTO})
    lines = ["| player | games | its mean | auto there | difference |", "|---|---|---|---|---|"]
    for player in players:
        own = [found for found in by_game.values() if player in found]
        mean = _mean([found[player] for found in own])
        auto = _mean([found[AUTO] for found in own])
        error = math.hypot(mean.error, auto.error)
        gap = f"{auto.mean - mean.mean:+.1f} ± {DEVIATIONS * error:.1f}"
        lines.append(f"| {player} | {len(own)} | {mean.mean:.1f} | {auto.mean:.1f} | {gap} |")
    return lines


def _mean(found: Sequence[Score]) -> Score:
    error = math.sqrt(sum(score.error**2 for score in found)) / len(found)
    return Score(float(np.mean([score.mean for score in found])), error)
