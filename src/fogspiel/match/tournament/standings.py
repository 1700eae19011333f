"""What a tournament has come to for each player: means and counts over all of its matches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fogspiel.match.tournament.results import MatchResult

FULL_GOAL = 100
"""What a player without opponents wins by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One player's matches together."""

    player: str
    matches: int
    """That were played to an end."""
    mean_goal: float | None
    """By the scale of each game; None without a match."""
    wins: int
    draws: int
    losses: int
    faults: int


class Standings:
    """Counts that grow with results. The order in which these come makes no difference."""

    def __init__(self, players: Sequence[str]) -> None:
        self._scores = {player: _Score() for player in players}

    def add(self, results: Iterable[MatchResult]) -> None:
        """Count matches; those that failed have nothing to count."""
        for result in results:
            for seat, goal in enumerate(result.goals):
                score = self._scores[result.players[seat]]
                score.goals.append(goal / result.goal_scale)
                score.faults += sum(result.faults[seat].values())
                score.outcomes.append(_outcome(result, seat))

    def table(self) -> list[Standing]:
        """The highest mean first; names decide among equals."""
        rows = [score.standing(player) for player, score in self._scores.items()]
        return sorted(rows, key=lambda row: (-_or_least(row.mean_goal), row.player))


class _Score:
    def __init__(self) -> None:
        self.goals: list[float] = []
        self.outcomes: list[int] = []
        self.faults = 0

    def standing(self, player: str) -> Standing:
        # Sorted, because sums of fractions depend on their order.
        mean = sum(sorted(self.goals)) / len(self.goals) if self.goals else None
        return Standing(
            player=player,
            matches=len(self.goals),
            mean_goal=mean,
            wins=self.outcomes.count(1),
            draws=self.outcomes.count(0),
            losses=self.outcomes.count(-1),
            faults=self.faults,
        )


def _outcome(result: MatchResult, seat: int) -> int:
    """1 for a win, 0 for a draw, -1 for a loss: the highest goal wins, a shared one is a draw."""
    goals = result.goals
    if len(goals) == 1:
        return (goals[0] >= FULL_GOAL * result.goal_scale) - (goals[0] <= 0)
    if goals[seat] < max(goals):
        return -1
    return int(goals.count(max(goals)) == 1)


def _or_least(mean: float | None) -> float:
    return float("-inf") if mean is None else mean
