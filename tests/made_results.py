"""Results of matches that nobody played."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from fogspiel.play.tournament.schedule import MatchResult

ROLES = ("first", "second", "third", "fourth")


def result(
    number: int,
    goals: Mapping[str, int] | Sequence[tuple[str, int]],
    *,
    game: str = "toss",
    seed: int | None = None,
    faults: Iterable[Mapping[str, int]] | None = None,
    goal_scale: int = 1,
    failed: str | None = None,
) -> MatchResult:
    """A match by its goals: a mapping from players, or pairs where a player sits twice."""
    seats = list(goals.items() if isinstance(goals, Mapping) else goals)
    return MatchResult(
        number=number,
        game=game,
        roles=ROLES[: len(seats)],
        players=tuple(player for player, _ in seats),
        seed=number if seed is None else seed,
        goals=() if failed else tuple(goal for _, goal in seats),
        goal_scale=goal_scale,
        steps=3,
        faults=tuple(faults) if faults else tuple({} for _ in seats),
        seconds=0.25,
        failed=failed,
    )


def counted(wins: Mapping[tuple[str, str], int]) -> list[MatchResult]:
    """So many matches that the first of each pair won."""
    pairs = [pair for pair, count in wins.items() for _ in range(count)]
    return [result(n, {winner: 100, loser: 0}) for n, (winner, loser) in enumerate(pairs)]


def drawn_by_strength(
    strengths: Mapping[str, float], *, matches: int, seed: int, seats: int = 2
) -> list[MatchResult]:
    """Matches of random players; ranks follow noise of Gumbel on top of the strengths.

    Two such numbers differ by a logistic one, so that any two players meet the model of Bradley and
    Terry, and the comparisons within a match depend on one another.
    """
    rng, names = np.random.default_rng(seed), sorted(strengths)
    results = []
    for number in range(matches):
        chosen = [str(name) for name in rng.choice(names, seats, replace=False)]
        shown = [strengths[name] + rng.gumbel() for name in chosen]
        ranks = np.argsort(np.argsort(shown))
        goals = {
            name: int(100 * rank / (seats - 1)) for name, rank in zip(chosen, ranks, strict=True)
        }
        results.append(result(number, goals))
    return results
