"""Series: many matches between the same players, with intervals of their mean payoffs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, final

from fogspiel.api.matches.player import AnyPlayer
from fogspiel.api.matches.playing import clocks_of, entrants_of, whole_number
from fogspiel.core.values import AS_THE_RULES_COUNT, Unit, margin_text
from fogspiel.play.clocks import PlayerLimits
from fogspiel.play.records.format import RecordFolder
from fogspiel.play.referee import Fault
from fogspiel.play.series import Series as Played
from fogspiel.play.series import Tally, play_series, refuse_entrants, refuse_uneven
from fogspiel.solve.files.strategy_file import rules_digest

if TYPE_CHECKING:
    from fogspiel.api.game import Game

DEFAULT_GAMES = 100


@final
class Series:
    """The results of many matches between the same players. `Game.series` plays them.

    Means and intervals are in the unit of the game, those of `played` in goals of the machine.

    >>> series = fs.load("kuhn_poker").series("first", "random", games=20, swap=True, seed=1)
    >>> [(row.player, row.role, row.games) for row in series.rows[:2]]
    [('first', 'first', 10), ('first', 'second', 10)]
    """

    def __init__(
        self, game: Game, played: Played, *, unit: Unit | None = None, seconds: float = 0.0
    ) -> None:
        """The series of a game, of which the results are known.

        unit: of the goals of the machine; that of the game if not given.
        """
        self.game = game  #: The game that was played
        self.played = played  #: Seats, goals and outcomes of every game, as arrays
        self.entrants: tuple[str, ...] = played.entrants  #: The names of the participants
        self.unit: Unit | None = unit or game.unit
        """The unit of payoffs: payoff = (goal - offset) / scale; None if goals are payoffs."""
        self.seconds = seconds  #: The time that all games together took

    @property
    def rows(self) -> list[SeriesRow]:
        """The results of every participant in each role that it played."""
        return [self._row(tally) for tally in self.played.results()]

    @property
    def totals(self) -> list[SeriesRow]:
        """The results of every participant in all roles together."""
        return [self._row(tally) for tally in self.played.totals()]

    @property
    def games(self) -> int:
        """The number of games."""
        return len(self.played.goals)

    @property
    def goals_are_payoffs(self) -> bool:
        """Whether payoffs are the goals as the rules count them."""
        scale = self.game.machine.goal_scale
        return self.unit is None or (self.unit.offset, self.unit.scale) == (0.0, scale)

    def _row(self, tally: Tally) -> SeriesRow:
        is_shared = self.entrants.count(tally.player) > 1
        scale = self.game.machine.goal_scale
        return SeriesRow.of(tally, self.unit, goal_scale=scale, is_shared=is_shared)

    def __repr__(self) -> str:
        told = "; ".join(str(row) for row in self.totals)
        return f"Series({self.game.name!r}, {self.games:,} games: {told})"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesRow:
    """The results of one participant of a series, in one role or in all."""

    player: str  #: The name of the participant
    entry: int  #: Its place among the participants, from 1: two may have the same name
    label: str  #: Its name, with its place in parentheses where another has the same name
    role: str | None  #: None for all roles together
    games: int  #: The number of games
    payoff: float  #: The mean payoff, in the unit of the game
    interval: tuple[float, float] | None
    """Student's interval of the mean at 95 %; None for a single game."""
    wins: int  #: Games in which it got most
    draws: int  #: Games in which it shared the best payoff
    losses: int  #: Games in which others got more
    goal: float  #: The mean goal, as the rules count
    goal_interval: tuple[float, float] | None
    """Student's interval of the mean goal at 95 %; None for a single game."""
    late: int  #: Choices that came after their deadline, getting ready included
    most_late_seconds: float  #: The longest delay
    replaced: int
    """Moves that gave way to legal ones: those of isolated players that failed, and those that were
    not legal where the rules do not let a role know its moves."""
    faults: Mapping[str, int]  #: Numbers of faults by kind, as `Fault` has them
    first_fault: Fault | None  #: The first of them, with what was wrong; None if there was none

    @staticmethod
    def of(
        tally: Tally, unit: Unit | None, *, goal_scale: int = 1, is_shared: bool = False
    ) -> SeriesRow:
        """A tally with payoffs.

        unit: of goals of the machine; None if they are payoffs. goal_scale: the factor by which
        the machine multiplies goals. is_shared: whether another has the same name.
        """
        value = (unit or Unit(AS_THE_RULES_COUNT, 0.0, 1.0)).value
        ends = tally.interval and sorted(map(value, tally.interval))
        return SeriesRow(
            player=tally.player,
            entry=tally.entry + 1,
            label=f"{tally.player} ({tally.entry + 1})" if is_shared else tally.player,
            role=tally.role,
            games=tally.games,
            payoff=value(tally.mean_goal),
            interval=(ends[0], ends[1]) if ends else None,
            wins=tally.wins,
            draws=tally.draws,
            losses=tally.losses,
            goal=tally.mean_goal / goal_scale,
            goal_interval=tally.interval
            and (tally.interval[0] / goal_scale, tally.interval[1] / goal_scale),
            late=tally.late,
            most_late_seconds=tally.most_late_seconds,
            replaced=tally.replaced,
            faults=dict(tally.faults),
            first_fault=tally.first_fault,
        )

    @property
    def margin(self) -> str:
        """The interval of the mean goal as text; empty for fewer than four games."""
        return margin_text(self.goal, self.goal_interval, self.games)

    def __str__(self) -> str:
        """The participant and its mean payoff with its interval."""
        margin = margin_text(self.payoff, self.interval, self.games, ".3g")
        return f"{self.label} {self.payoff:.3g} {margin}".rstrip()


def play_games(
    game: Game,
    players: Sequence[AnyPlayer],
    *,
    games: int | None = None,
    swap: bool = False,
    paired: bool = False,
    seconds: float | None = None,
    simulations: int | None = None,
    start_seconds: float | None = None,
    seed: int = 0,
    record: str | Path | None = None,
    on_match: Callable[[], object] | None = None,
    isolate: bool | PlayerLimits = False,
) -> Series:
    """Play a series; `Game.series` says what the arguments mean."""
    clocks = clocks_of(seconds, simulations, start_seconds)
    seed = whole_number("seed", seed, least=0)
    refuse_entrants(game.machine, len(players))
    count = default_games(len(players))
    if games is not None:
        count = whole_number("games", games, least=1)
    if swap:
        refuse_uneven(count, len(players))
    entrants = entrants_of(game, players, clocks, isolate)
    records = None
    if record is not None:
        rules = rules_digest(game.loaded.sources)
        records = RecordFolder(folder=Path(record), game=game.name, rules=rules, clocks=clocks)
    began = perf_counter()
    played = play_series(
        game.machine,
        entrants,
        games=count,
        start_budget=clocks.start_budget,
        turn_budget=clocks.turn_budget,
        seed=seed,
        swap=swap,
        paired=paired,
        on_match=on_match,
        records=records,
        on_fault="replace" if isolate else "raise",
        grace_seconds=clocks.grace_seconds,
    )
    return Series(game, played, seconds=perf_counter() - began)


def default_games(players: int) -> int:
    """The number of games where nobody gives one: at least 100, which rotated seats can share."""
    return -(-DEFAULT_GAMES // players) * players
