"""All results in one record, as the command line prints and reports show them; skills among them.

Skills that matches of any number of players move one by one are those of OpenSkill.
Source: Weng & Lin (2011), Journal of Machine Learning Research 12, the model of Plackett and Luce,
as the library `openskill` computes it, with its own constants. A skill is a normal distribution of
mean mu and deviation sigma. Matches are taken in the order of their numbers, because each changes
the skills that earlier ones left: the same results give the same skills, whenever they were played.
Departures: none. A match in which a player has two seats is left out, since the model does not
allow a player to compete with itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from fogspiel.play.ratings.bradley_terry import (
    Rating,
    RatingHistory,
    Ratings,
    comparisons_of,
    played,
    rate,
    settling_of,
)
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
class Skill:
    """The skill of a player as a normal distribution."""

    player: str
    mu: float
    sigma: float
    ordinal: float  #: mu - 3 sigma: a skill that the player has almost surely
    matches: int  #: Matches that moved the skill


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Results of a set of matches."""

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
    """The summary of results. Without a plan, these are all the matches."""
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


def skills_of(results: Iterable[MatchResult]) -> tuple[Skill, ...]:
    """The skills of all who took part, the highest ordinal first."""
    from openskill.models import PlackettLuce

    known = list(results)
    model = PlackettLuce()
    names = sorted({player for result in known for player in result.players})
    ratings = {name: model.rating(name=name) for name in names}
    moved = dict.fromkeys(names, 0)
    for result in played(known):
        if len(set(result.players)) < max(2, len(result.players)):
            continue
        teams = [[ratings[player]] for player in result.players]
        # The lowest rank is the best, and equal ranks are a draw.
        rated = model.rate(teams, ranks=[float(-goal) for goal in result.goals])
        for player, (rating,) in zip(result.players, rated, strict=True):
            ratings[player] = rating
            moved[player] += 1
    skills = [
        Skill(
            player=name,
            mu=rating.mu,
            sigma=rating.sigma,
            ordinal=rating.ordinal(),
            matches=moved[name],
        )
        for name, rating in ratings.items()
    ]
    return tuple(sorted(skills, key=lambda skill: (-skill.ordinal, skill.player)))
