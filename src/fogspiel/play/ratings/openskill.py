"""Skills that matches of any number of players move one by one: OpenSkill.

Source: Weng & Lin (2011), Journal of Machine Learning Research 12, the model of Plackett and Luce,
as the library `openskill` computes it, with its own constants. A skill is a normal distribution of
mean mu and deviation sigma. Matches are taken in the order of their numbers, because each moves
what the ones before it came to: the same results give the same skills, whenever they were played.
Departures: none. A match in which a player sits twice is left out, since the model has no place
for those who compete with themselves.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fogspiel.play.ratings.comparisons import played
from fogspiel.play.tournament.schedule import MatchResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """What matches tell of a player."""

    player: str
    mu: float
    sigma: float
    ordinal: float  #: mu - 3 sigma: a skill that the player has almost surely
    matches: int  #: Matches that moved the skill


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
