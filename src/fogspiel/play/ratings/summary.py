"""All that results tell, in one record: what the command line prints and reports show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from fogspiel.play.ratings.bradley_terry import Rating, RatingHistory, Ratings, rate, settling_of
from fogspiel.play.ratings.comparisons import comparisons_of, played
from fogspiel.play.ratings.openskill import Skill, skills_of
from fogspiel.play.ratings.standings import (
    Difference,
    Meeting,
    Standing,
    cross_table,
    differences,
    standings_of,
)
from fogspiel.play.tournament.schedule import FormatTable, MatchResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What matches came to."""

    played: int
    planned: int  #: Played, failed and still to come
    failures: tuple[MatchResult, ...]  #: Matches that came to no end
    seconds: float  #: Time of all matches together
    standings: tuple[Standing, ...]
    by_game: tuple[Standing, ...]
    by_seat: tuple[Standing, ...]
    ratings: Ratings
    skills: tuple[Skill, ...]
    cross: Mapping[tuple[str, str], Meeting]
    differences: tuple[Difference, ...]
    settling: RatingHistory
    table: FormatTable | None
    """Standings by the rules of the tournament's format, where it has rules of its own."""

    @property
    def players(self) -> tuple[str, ...]:
        """The players in the order of the standings."""
        return tuple(standing.player for standing in self.standings)

    @property
    def finished(self) -> bool:
        """Whether every match was played or failed."""
        return self.played + len(self.failures) >= self.planned

    def rating(self, player: str) -> Rating:
        """The rating of one player."""
        return next(rating for rating in self.ratings.ratings if rating.player == player)

    def skill(self, player: str) -> Skill:
        """The skill of one player."""
        return next(skill for skill in self.skills if skill.player == player)

    def ahead(self, player: str, other: str) -> Difference | None:
        """The difference to another player; None where no block tells."""
        for own in self.differences:
            if (own.player, own.other) == (player, other):
                return own
            if (own.player, own.other) == (other, player):
                low, high = own.interval or (0.0, 0.0)
                interval = None if own.interval is None else (-high, -low)
                return replace(own, player=player, other=other, mean=-own.mean, interval=interval)
        return None


def summary_of(
    results: Iterable[MatchResult], *, planned: int | None = None, table: FormatTable | None = None
) -> Summary:
    """Everything at once. Without a plan, the results are taken for all there is."""
    known = sorted(results, key=lambda result: result.number)
    ended, comparisons = played(known), comparisons_of(known)
    return Summary(
        played=len(ended),
        planned=len(known) if planned is None else planned,
        failures=tuple(result for result in known if result.failed is not None),
        seconds=sum(result.seconds for result in known),
        standings=standings_of(ended),
        by_game=standings_of(ended, "game"),
        by_seat=standings_of(ended, "seat"),
        ratings=rate(comparisons),
        skills=skills_of(known),
        cross=cross_table(ended),
        differences=differences(ended),
        settling=settling_of(comparisons, len(ended)),
        table=table,
    )
