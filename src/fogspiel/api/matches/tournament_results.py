"""Results of tournaments: matches, standings and ratings as rows, in the units of the games."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, final

from fogspiel.api.matches.entries import unit_of
from fogspiel.core.values import AS_THE_RULES_COUNT, FULL_GOAL, Unit, margin_text
from fogspiel.play.tournament.plan import GameRules
from fogspiel.play.tournament.schedule import FormatTable, MatchResult, PlayedMatch

if TYPE_CHECKING:
    from fogspiel.play.ratings.summary import Difference, Meeting, Standing, Summary


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentMatch:
    """One match of a tournament."""

    number: int  #: Number in the schedule, from 0
    game: str  #: The name of the game in the plan
    players: Mapping[str, str]  #: The player of every role
    payoffs: Mapping[str, float]
    """The payoff of every role, in the unit of the game; empty where the match failed."""
    shares: Mapping[str, float]  #: The goal of every role, divided by 100; empty as `payoffs`
    steps: int  #: The number of steps
    seconds: float  #: Seconds from the start of the match to its end
    seed: int  #: The seed of chance, which all matches of a block share
    faults: Mapping[str, Mapping[str, int]]
    """The number of moves of every role that were replaced, by the kind of fault."""
    failed: str | None  #: The reason why nobody has a payoff; None for a match that came to its end

    @staticmethod
    def of(result: MatchResult, unit: Unit | None) -> TournamentMatch:
        """The match of a result. unit: of the game; None where goals are payoffs themselves."""
        scale = FULL_GOAL * result.goal_scale
        worth = unit_of_goals(unit, result.goal_scale)
        goals = dict(zip(result.roles, result.goals, strict=False))  # none where it failed
        return TournamentMatch(
            number=result.number,
            game=result.game,
            players=dict(zip(result.roles, result.players, strict=True)),
            payoffs={role: worth.value(goal) for role, goal in goals.items()},
            shares={role: goal / scale for role, goal in goals.items()},
            steps=result.steps,
            seconds=result.seconds,
            seed=result.seed,
            faults=dict(zip(result.roles, result.faults, strict=True)),
            failed=result.failed,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingRow:
    """The results of one player: in all games, in one game, or in one role of a game."""

    player: str  #: The name under which the player entered
    game: str | None  #: None for all games together
    role: str | None  #: None for all roles together
    matches: int  #: Matches, or seats in them where a player sat twice
    payoff: float | None
    """The mean payoff, in the unit of the game; None for games with different units together."""
    interval: tuple[float, float] | None
    """Student's interval of the mean payoff at 95 %; None for a single match."""
    share: float  #: The mean share: goals divided by 100, which can be compared between games
    share_interval: tuple[float, float] | None  #: Its interval at 95 %; None for a single match
    wins: int  #: Matches in which the player reached the highest goal alone
    draws: int  #: Matches in which it shared the highest goal
    losses: int  #: Matches in which another player reached more
    faults: Mapping[str, int]  #: Moves that were replaced, by the kind of fault

    @staticmethod
    def of(standing: Standing, worth: Unit | None) -> StandingRow:
        """A standing. worth: what a share is worth in payoffs; None if that differs by game."""
        told = standing.interval
        ends = None if worth is None or told is None else sorted(map(worth.value, told))
        return StandingRow(
            player=standing.player,
            game=standing.game,
            role=standing.role,
            matches=standing.matches,
            payoff=None if worth is None else worth.value(standing.mean_share),
            interval=None if ends is None else (ends[0], ends[1]),
            share=standing.mean_share,
            share_interval=told,
            wins=standing.wins,
            draws=standing.draws,
            losses=standing.losses,
            faults=standing.faults,
        )

    @property
    def margin(self) -> str:
        """The interval of the mean share as text; empty for fewer than four matches."""
        return margin_text(self.share, self.share_interval, self.matches)

    def __str__(self) -> str:
        """The player, its mean and the interval."""
        where = "".join(f" in {word}" for word in (self.game, self.role) if word is not None)
        mean, ends = self.payoff, self.interval
        if mean is None:
            mean, ends = self.share, self.share_interval
        margin = margin_text(mean, ends, self.matches, ".3g")
        return f"{self.player}{where} {mean:.3g} {margin}".rstrip()


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingRow:
    """The strength of one player, by two models."""

    player: str  #: The name under which the player entered
    elo: float  #: The rating of Bradley and Terry on the scale of Elo; 0 is the mean of the group
    interval: tuple[float, float] | None
    """The interval of the rating at 95 %; None for a player that was compared with nobody."""
    comparisons: int  #: The number of comparisons with other players
    group: int  #: Ratings can be compared within a group alone; the largest group is 0
    mu: float  #: The mean of the player's skill, by OpenSkill
    sigma: float  #: The standard deviation of the skill
    ordinal: float  #: mu - 3 sigma: a skill that the player has almost surely

    def __str__(self) -> str:
        """The player and its rating with half of the interval."""
        ends = self.interval
        half = "" if ends is None else f" ± {(ends[1] - ends[0]) / 2:.0f}"
        return f"{self.player} {self.elo:+.0f}{half}"


OnPlayed: TypeAlias = Callable[[Sequence[TournamentMatch]], None]
"""Told of matches, once their results are on the disk."""


@final
class TournamentResults:
    """What the matches of a tournament came to so far. `Tournament.results` gives them.

    A share is a goal divided by 100. Intervals hold 95 %.
    """

    def __init__(
        self,
        name: str,
        results: Iterable[MatchResult],
        *,
        planned: int,
        units: Mapping[str, Unit | None],
        table: FormatTable | None,
    ) -> None:
        """The results of a tournament; use `Tournament.results` instead.

        units: of the goals of machines, by game; None for games whose goals are payoffs.
        """
        self.name = name  #: The name of the tournament
        self.planned = planned  #: The number of matches: played, failed and still to come
        self.table = table
        """Standings by the rules of the format (`title`, `columns`, `rows`), if it has some."""
        self._results, self._units = tuple(results), units

    @cached_property
    def matches(self) -> tuple[TournamentMatch, ...]:
        """All matches that are over, by number."""
        return tuple(TournamentMatch.of(own, self._units[own.game]) for own in self._results)

    @property
    def failures(self) -> tuple[TournamentMatch, ...]:
        """The matches that came to no end; `failed` says why."""
        return tuple(own for own in self.matches if own.failed is not None)

    @property
    def played(self) -> int:
        """The number of matches that came to an end."""
        return len(self._results) - len(self.failures)

    @property
    def finished(self) -> bool:
        """Whether every match was played or failed."""
        return len(self._results) >= self.planned

    @cached_property
    def standings(self) -> tuple[StandingRow, ...]:
        """The results of every player, the best first."""
        return self._rows(self.summary.standings)

    @cached_property
    def by_game(self) -> tuple[StandingRow, ...]:
        """The results of every player in each game."""
        return self._rows(self.summary.by_game)

    @cached_property
    def by_seat(self) -> tuple[StandingRow, ...]:
        """The results of every player in each role of each game."""
        return self._rows(self.summary.by_seat)

    @property
    def players(self) -> tuple[str, ...]:
        """The names of the players, in the order of the standings."""
        return self.summary.players

    @cached_property
    def ratings(self) -> tuple[RatingRow, ...]:
        """The rating of every player, the best of each group first."""
        skills = {skill.player: skill for skill in self.summary.skills}
        return tuple(
            RatingRow(
                player=own.player,
                elo=own.elo,
                interval=own.interval,
                comparisons=own.comparisons,
                group=own.group,
                mu=skills[own.player].mu,
                sigma=skills[own.player].sigma,
                ordinal=skills[own.player].ordinal,
            )
            for own in self.summary.ratings.ratings
        )

    @property
    def groups(self) -> int:
        """The number of groups that no chain of matches connects."""
        return self.summary.ratings.groups

    @property
    def held_by_prior(self) -> tuple[int, ...]:
        """Groups in which some took every point from others: a prior sets their distance."""
        return self.summary.ratings.held_by_prior

    @property
    def cross(self) -> Mapping[tuple[str, str], Meeting]:
        """The mean share of a player in matches with another one, by both of their names."""
        return self.summary.cross

    def ahead(self, player: str, other: str) -> Difference | None:
        """The mean difference of the shares of two players, with its interval.

        It is taken over the repetitions that both took part in, whose luck they shared; None where
        there is none.

        player: the name of the one whose lead it is.
        other: the name of the other one.
        """
        return self.summary.ahead(player, other)

    @cached_property
    def summary(self) -> Summary:
        """All of this in goals and shares, as reports take it."""
        from fogspiel.play.ratings.summary import summary_of

        return summary_of(self._results, planned=self.planned, table=self.table)

    def document(self) -> dict[str, Any]:
        """Everything as one document of plain values, as `fogspiel results --json` prints it."""
        from fogspiel.play.ratings.export import summary_document

        return summary_document(self.name, self.summary)

    def write_csv(self, path: str | Path) -> None:
        """Write a row for each seat of each match.

        path: the file.
        Raises `OSError` where it cannot be written.
        """
        from fogspiel.play.ratings.export import write_seats

        write_seats(Path(path), self._results)

    def _rows(self, standings: Iterable[Standing]) -> tuple[StandingRow, ...]:
        scales = {own.game: own.goal_scale for own in self._results if own.failed is None}
        worths = {game: unit_of_shares(self._units[game], scale) for game, scale in scales.items()}
        common = next(iter(worths.values())) if len(worths) == 1 else None
        return tuple(
            StandingRow.of(own, common if own.game is None else worths[own.game])
            for own in standings
        )

    def __len__(self) -> int:
        """The number of matches that are over."""
        return len(self._results)

    def __bool__(self) -> bool:
        """True: the results of a tournament that has not begun are results, too."""
        return True

    def __repr__(self) -> str:
        failed = f", {len(self.failures):,} failed" if self.failures else ""
        return f"TournamentResults({self.played:,} of {self.planned:,} matches played{failed})"


def unit_of_goals(unit: Unit | None, goal_scale: int) -> Unit:
    """The unit in which goals of a machine are payoffs. unit: None if goals are payoffs."""
    return unit or Unit(AS_THE_RULES_COUNT, 0.0, goal_scale)


def unit_of_shares(unit: Unit | None, goal_scale: int) -> Unit:
    """The unit in which shares are payoffs: a share is a goal of the machine by the full goal."""
    goals, full = unit_of_goals(unit, goal_scale), FULL_GOAL * goal_scale
    return Unit(goals.name, goals.offset / full, goals.scale / full)


def listener(
    games: Mapping[str, GameRules], on_played: OnPlayed | None
) -> Callable[[Sequence[PlayedMatch]], None]:
    """What hands matches that were played to a user's function. games: their rules by name."""
    if on_played is None:
        return lambda _: None
    units = {name: unit_of(rules) for name, rules in games.items()}

    def tell(played: Sequence[PlayedMatch]) -> None:
        results = [own.result for own in played]
        on_played([TournamentMatch.of(own, units[own.game]) for own in results])

    return tell
