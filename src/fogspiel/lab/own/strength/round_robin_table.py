"""Scores of a round robin: who is best where, and whether `auto` keeps up.

Intervals are Student's t: a pair plays few deals in some games. Variances of different pairs are
added up, with degrees of freedom after Welch and Satterthwaite (1946). Two players' difference
counts their own match for both: what one wins there the other loses.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fogspiel.core.statistics import student_half
from fogspiel.lab.framework.study import Document

AUTO = "auto"
FEWEST_DEALS = 6
"""All of them one way is surely no chance: half to the fifth is the first power below 5 %."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean, and how far it may be off."""

    mean: float
    parts: tuple[tuple[float, int], ...] = ()
    """Variance and degrees of freedom of what it is the sum of: one for each pair of players."""

    def half(self, comparisons: int = 1) -> float:
        """Half an interval of 95 %; of so many comparisons together, by Bonferroni."""
        variance = sum(own for own, _ in self.parts)
        if variance == 0.0:
            return 0.0
        freedom = variance**2 / sum(own**2 / degrees for own, degrees in self.parts)
        return student_half(math.sqrt(variance), freedom, comparisons=comparisons)

    def __str__(self) -> str:
        """Mean and half an interval."""
        return f"{self}"

    def __format__(self, sign: str) -> str:
        """As a text; with `+` the sign of the mean is shown as well."""
        return f"{self.mean:{sign}.1f} ± {self.half():.1f}"


def scores(records: Sequence[Document], game: str) -> dict[str, Estimate]:
    """Of every player of a game, its mean over opponents, the best first."""
    own = [record for record in records if record["game"] == game]
    players = dict.fromkeys(player for record in own for player in record["players"])
    found = {player: combined(own, {player: 1.0}) for player in players}
    return dict(sorted(found.items(), key=lambda entry: -entry[1].mean))


def combined(records: Sequence[Document], weights: Mapping[str, float]) -> Estimate:
    """Scores of players of one game, each by its weight, added up."""
    pairs = {player: sum(player in record["players"] for record in records) for player in weights}
    mean, parts = 0.0, list[tuple[float, int]]()
    for record in records:
        deals = np.zeros(len(record["shares"][0]))
        for player, own in zip(record["players"], record["shares"], strict=True):
            if player in weights:
                deals += weights[player] / pairs[player] * np.array(own)
        mean += float(deals.mean())
        if len(deals) > 1:
            parts.append((float(deals.var(ddof=1)) / len(deals), len(deals) - 1))
    return Estimate(mean, tuple(parts))


def table(records: Sequence[Document]) -> str:
    """`auto` beside the best other player of each game, then the means over games."""
    by_game: dict[str, list[Document]] = {}
    for record in records:
        by_game.setdefault(record["game"], []).append(record)
    games = {game: own for game, own in by_game.items() if _has_auto_and_others(own)}
    return "\n".join([*_games(games), "", *_players(games)])


def _has_auto_and_others(records: Sequence[Document]) -> bool:
    players = {player for record in records for player in record["players"]}
    return AUTO in players and len(players) > 1


def _games(by_game: Mapping[str, Sequence[Document]]) -> list[str]:
    lines = [
        "| game | auto | best other | | difference | all others |",
        "|---|---|---|---|---|---|",
    ]
    for game, records in by_game.items():
        found = scores(records, game)
        auto = found.pop(AUTO)
        best, *rest = found
        gap = _gap(records, best)
        shown = f"{gap.mean:+.1f} ± {gap.half(len(found)):.1f} {verdict(gap, len(found))}"
        others = ", ".join(f"{player} {found[player].mean:.1f}" for player in rest)
        lines.append(f"| {game} | {auto} | {best} | {found[best]} | {shown.strip()} | {others} |")
    return lines


def _players(by_game: Mapping[str, Sequence[Document]]) -> list[str]:
    """Each player over its games, and `auto` over the same ones."""
    players = sorted({p for own in by_game.values() for record in own for p in record["players"]})
    lines = ["| player | games | its mean | auto there | difference |", "|---|---|---|---|---|"]
    for player in players:
        if player == AUTO:
            continue
        own = [
            records
            for records in by_game.values()
            if any(player in record["players"] for record in records)
        ]
        mean = np.mean([combined(records, {player: 1.0}).mean for records in own])
        auto = np.mean([combined(records, {AUTO: 1.0}).mean for records in own])
        gap = mean_of([_gap(records, player) for records in own])
        lines.append(f"| {player} | {len(own)} | {mean:.1f} | {auto:.1f} | {gap:+} |")
    return lines


def _gap(records: Sequence[Document], player: str) -> Estimate:
    """By how much `auto` is better than another."""
    return combined(records, {AUTO: 1.0, player: -1.0})


def verdict(gap: Estimate, comparisons: int) -> str:
    """Whether `auto` is surely better or worse, of so many comparisons together."""
    # Few deals that end alike show no variance, which does not mean that there is none.
    hides_some = any(own == 0.0 and degrees + 1 < FEWEST_DEALS for own, degrees in gap.parts)
    if hides_some or abs(gap.mean) <= gap.half(comparisons):
        return ""
    return "better" if gap.mean > 0.0 else "worse"


def mean_of(found: Sequence[Estimate]) -> Estimate:
    """Each as heavy; all of them independent."""
    count = len(found)
    parts = tuple((own / count**2, degrees) for one in found for own, degrees in one.parts)
    return Estimate(float(np.mean([one.mean for one in found])), parts)
