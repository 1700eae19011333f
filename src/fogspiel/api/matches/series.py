"""Series: many matches between the same players, with intervals of their mean payoffs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, final

from fogspiel.api.matches.match import clocks_of
from fogspiel.api.matches.player import AnyPlayer, entrant_of
from fogspiel.play.records.format import RecordFolder
from fogspiel.play.series import Series as Played
from fogspiel.play.series import Tally, play_series, refuse_entrants, warm_up
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

    def __init__(self, game: Game, played: Played) -> None:
        """The series of a game, of which the results are known."""
        self.game = game  #: The game that was played
        self.played = played  #: Seats, goals and outcomes of every game, as arrays
        self.entrants: tuple[str, ...] = played.entrants  #: The names of the participants

    @property
    def rows(self) -> list[SeriesRow]:
        """The results of every participant in each role that it played."""
        return [SeriesRow.of(self.game, tally) for tally in self.played.results()]

    @property
    def totals(self) -> list[SeriesRow]:
        """The results of every participant in all roles together."""
        return [SeriesRow.of(self.game, tally) for tally in self.played.totals()]

    @property
    def games(self) -> int:
        """The number of games."""
        return len(self.played.goals)

    def __repr__(self) -> str:
        told = "; ".join(str(row) for row in self.totals)
        return f"Series({self.game.name!r}, {self.games:,} games: {told})"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesRow:
    """The results of one participant of a series, in one role or in all."""

    player: str  #: The name of the participant
    role: str | None  #: None for all roles together
    games: int  #: The number of games
    payoff: float  #: The mean payoff, in the unit of the game
    interval: tuple[float, float] | None
    """Student's interval of the mean at 95 %; None for a single game."""
    wins: int  #: Games in which it got most
    draws: int  #: Games in which it shared the best payoff
    losses: int  #: Games in which others got more
    tally: Tally  #: The same in goals of the machine, with delays and replaced moves

    @staticmethod
    def of(game: Game, tally: Tally) -> SeriesRow:
        """A tally in the unit of the game."""
        ends = tally.interval and sorted(map(game.payoff_of_goal, tally.interval))
        return SeriesRow(
            player=tally.player,
            role=tally.role,
            games=tally.games,
            payoff=game.payoff_of_goal(tally.mean_goal),
            interval=(ends[0], ends[1]) if ends else None,
            wins=tally.wins,
            draws=tally.draws,
            losses=tally.losses,
            tally=tally,
        )

    def __str__(self) -> str:
        """The participant and its mean payoff with half of the interval."""
        half = (
            "" if self.interval is None else f" ± {(self.interval[1] - self.interval[0]) / 2:.3g}"
        )
        return f"{self.player} {self.payoff:.3g}{half}"


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
    on_match: Callable[[], None] | None = None,
) -> Series:
    """Play a series; `Game.series` says what the arguments mean."""
    clocks = clocks_of(seconds, simulations, start_seconds)
    refuse_entrants(game.machine, len(players))
    entrants = [entrant_of(game, player) for player in players]
    if seconds is not None:
        warm_up(game.machine, entrants)
    records = None
    if record is not None:
        rules = rules_digest(game.loaded.sources)
        records = RecordFolder(folder=Path(record), game=game.name, rules=rules, clocks=clocks)
    played = play_series(
        game.machine,
        entrants,
        # The default never is at odds with rotated seats.
        games=games or -(-DEFAULT_GAMES // len(players)) * len(players),
        start_budget=clocks.start_budget,
        turn_budget=clocks.turn_budget,
        seed=seed,
        swap=swap,
        paired=paired,
        on_match=on_match,
        records=records,
    )
    return Series(game, played)
