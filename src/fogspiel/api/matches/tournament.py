"""Tournaments: many matches of several players in several games, kept in a journal.

Length: most of it says what can be asked of a tournament, with examples.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from typing import NamedTuple, Self, final
from weakref import finalize

from fogspiel.api import from_above
from fogspiel.api.game import Game
from fogspiel.api.matches.entries import (
    AnyEntry,
    AnyGame,
    assignment_of,
    game_names,
    game_of,
    loaded_rules,
    planned_of,
    player_tables,
    unit_of,
)
from fogspiel.api.matches.match import Match
from fogspiel.api.matches.playing import clocks_of, whole_number
from fogspiel.api.matches.tournament_results import OnPlayed, TournamentResults, listener
from fogspiel.core.findings import FogspielError, UsageError
from fogspiel.play.clocks import DEFAULT_GRACE_SECONDS
from fogspiel.play.tournament.journal import find_journal, open_journal, other_plan
from fogspiel.play.tournament.plan import (
    DEFAULT_FORMAT,
    DEFAULT_MATCH_SECONDS,
    TournamentPlan,
)
from fogspiel.play.tournament.plan_reading import plan_of_document, read_plan
from fogspiel.play.tournament.running import player_of_matches, refuse_absent, refuse_players
from fogspiel.play.tournament.schedule import MatchResult
from fogspiel.play.tournament.tournament import (
    SUFFIX,
    journal_in,
    run_matches,
    tournament_in,
)
from fogspiel.play.tournament.tournament import Tournament as Planned


@final
class Tournament:
    """Matches of several players in several games, kept in a journal that outlives any crash.

    `Tournament(games, players)` makes a new one, `Tournament.read` takes the plan in a file, and
    `Tournament.open` takes a journal: of a tournament that is over, was interrupted, or is running.

    >>> players = {"careful": "first", "random": "random"}
    >>> cup = fs.Tournament("kuhn_poker", players, simulations=1, keep_records=True, name="cup")
    >>> cup.play().results
    TournamentResults(2 of 2 matches played)
    """

    def __init__(
        self,
        games: AnyGame | Iterable[AnyGame],
        players: AnyEntry | Iterable[AnyEntry] | Mapping[str, AnyEntry],
        *,
        name: str = "tournament",
        format: str = DEFAULT_FORMAT,
        rounds: int | None = None,
        repetitions: int = 1,
        seconds: float | None = None,
        simulations: int | None = None,
        start_seconds: float | None = None,
        grace_seconds: float = DEFAULT_GRACE_SECONDS,
        match_seconds: float = DEFAULT_MATCH_SECONDS,
        seed: int = 0,
        keep_records: bool = False,
        folder: str | Path = ".",
        journal: str | Path | None = None,
        limits: Mapping[str, float] | None = None,
        faults: str = "replace",
    ) -> None:
        """Plan a tournament; nothing is played before `play`.

        games: bundled names, members of families, rule files, or games that were loaded.
        players: names, classes of one's own, or tables as plans have them; or a mapping of the
        names under which they enter.
        name: of the tournament.
        format: "round-robin", or "swiss" with a number of `rounds`.
        repetitions: how often everybody meets in all seats.
        seconds or simulations: the clock for each move, 1,000 simulations by default.
        start_seconds: time to get ready before the first move, with `seconds`.
        grace_seconds: how late a move may come after its deadline.
        match_seconds: time after which a match is given up.
        seed: of everything that is left to chance.
        keep_records: keep every move, so that `match` can show it.
        folder: the folder from which files of games and players are meant.
        journal: the file that results are kept in; by default they last as long as this object.
        limits: on players of one's own, by the keys of the table `[limits]` of a plan.
        faults: "replace" plays on with a random move and counts the goals; "loss" gives a player
        who made a fault no goal, and a single opponent the full one.
        Raises `UsageError`: TOU003 for an argument out of its range, MAT004 for two clocks, GAM001
        for an unknown game, TOU004 for games that do not fit the players; `RulesError` for rules
        with errors, and `LimitError` TOU005 for too many matches.
        """
        clocks = clocks_of(seconds, simulations, start_seconds)
        chosen = [games] if isinstance(games, str | Path | Game) else list(games)
        entries = [players] if isinstance(players, str | type) else players
        optional = {
            "simulations": clocks.simulations,
            "turn_seconds": clocks.turn_seconds,
            "start_seconds": clocks.start_seconds,
            "grace_seconds": grace_seconds,
        }
        document = {
            "name": name,
            "seed": seed,
            "games": game_names(chosen),
            "players": player_tables(entries),
            "clock": {key: value for key, value in optional.items() if value is not None},
            "repetitions": repetitions,
            "format": format,
            "keep_records": keep_records,
            "match_seconds": match_seconds,
            **({} if rounds is None else {"rounds": rounds}),
            **({} if limits is None else {"limits": dict(limits)}),
            "faults": faults,
        }
        plan = plan_of_document(document, default_name=name)
        self._begin(planned_of(plan, Path(folder).absolute(), loaded_rules(chosen)), journal)

    @classmethod
    def read(cls, plan: str | Path, *, journal: str | Path | None = None) -> Tournament:
        r"""The tournament of a plan in a TOML file.

        plan: the file.
        journal: the file that results are kept in; by default that of the plan, with the suffix
        `.db`.
        Raises `UsageError`: TOU001 for what is no plan, TOU002 and TOU003 with all that is wrong in
        it, and otherwise as the constructor.

        >>> from pathlib import Path
        >>> players = '[[players]]\nplayer = "first"\n[[players]]\nplayer = "random"\n'
        >>> plan = Path("league.toml")
        >>> size = plan.write_text('games = ["kuhn_poker"]\nclock = {simulations = 1}\n' + players)
        >>> fs.Tournament.read(plan).journal.name
        'league.db'
        """
        path = Path(plan)
        planned = planned_of(read_plan(path), path.absolute().parent, {})
        return cls._of(planned, journal or path.with_suffix(SUFFIX))

    @classmethod
    def open(cls, journal: str | Path, *, folder: str | Path | None = None) -> Tournament:
        """The tournament of a journal, which is only read before `play` goes on with it.

        journal: the file, or a folder in which it is the only one.
        folder: the folder from which files of players are meant; by default that of the journal.
        Raises `UsageError` TOU008 for what is no journal, or is damaged.

        >>> short = fs.Tournament("kuhn_poker", ["first", "random"], simulations=1, journal="a.db")
        >>> fs.Tournament.open(short.play().journal).results.played
        2
        """
        path = journal_in(Path(journal))
        place = path.absolute().parent if folder is None else Path(folder).absolute()
        own = cls._of(tournament_in(path, place), path)
        own._own_journal = True
        own._read()
        return own

    @classmethod
    def _of(cls, planned: Planned, journal: str | Path | None) -> Tournament:
        own = cls.__new__(cls)
        own._begin(planned, journal)
        return own

    def _begin(self, planned: Planned, journal: str | Path | None) -> None:
        self._planned = planned
        self._own_journal = False
        """Whether the plan is that of the journal, so that they need not be compared."""
        self._kept: _Kept | None = None
        """What the journal holds, once it was read."""
        self.journal = None if journal is None else Path(journal)
        """The file that results are kept in; None if they last as long as this object."""
        self._temporary: Path | None = None

    @property
    def plan(self) -> TournamentPlan:
        """The plan: games, players, clock, format, repetitions and seed."""
        return self._planned.plan

    @property
    def name(self) -> str:
        """The name of the tournament."""
        return self.plan.name

    @property
    def games(self) -> tuple[str, ...]:
        """The names of the games."""
        return self.plan.games

    @property
    def players(self) -> tuple[str, ...]:
        """The names under which players enter."""
        return tuple(player.name for player in self.plan.players)

    @property
    def planned(self) -> int:
        """The number of all matches."""
        return self._planned.schedule.planned

    @property
    def results(self) -> TournamentResults:
        """The results so far: matches, standings and ratings.

        Raises `UsageError` TOU007 where the journal is that of another plan, TOU008 where it is
        damaged.
        """
        known = self._read().results
        return TournamentResults(
            self.name,
            known,
            planned=self.planned,
            units={name: unit_of(rules) for name, rules in self._planned.games.items()},
            table=self._planned.schedule.table(known),
        )

    @property
    def fingerprint(self) -> str | None:
        """The hash of plan, rules and schedule in the journal; None before there is one."""
        return self._read().fingerprint

    @property
    def version(self) -> str | None:
        """The version of Fogspiel that began the journal; None before there is one."""
        return self._read().version

    def play(
        self,
        *,
        jobs: int = 1,
        cluster: str | None = None,
        resume: bool = True,
        retry_failed: bool = False,
        allow_remote: bool = False,
        on_played: OnPlayed | None = None,
    ) -> Self:
        """Play all matches that the journal does not hold yet. Returns the tournament itself.

        A result is on the disk before it counts: after a crash or Ctrl-C, `play` goes on where the
        journal ends. With simulations for a clock, results depend on plan and seed alone.

        jobs: the number of processes that play.
        cluster: the address of a Ray cluster that plays instead.
        resume: go on with a journal that is there; otherwise that is an error.
        retry_failed: play matches again that came to no end.
        allow_remote: let players be on other machines than this one.
        on_played: told of matches, once their results are on the disk.
        Raises `UsageError`: PLY002 for an unknown player, TOU006 for a journal that is there,
        TOU007 for one of another plan, TOU009 for one in use; `LimitError` TOU010 where it cannot
        be written.

        >>> cup.play().results.finished
        True
        """
        jobs = whole_number("jobs", jobs, least=1)
        # Files of players may have changed since, which makes them other players.
        planned = planned_of(self.plan, self._planned.folder, self._planned.games)
        assignment = assignment_of(planned, allow_remote=allow_remote)
        play = player_of_matches(assignment, jobs=jobs, cluster=cluster)
        self._kept = None
        with open_journal(
            self._writable(),
            planned.plan,
            planned.rules,
            planned.schedule,
            resume=resume,
            on_new=partial(refuse_players, assignment),
        ) as journal:
            if retry_failed:
                journal.forget_failed(planned.schedule.first_repeatable(journal.results()))
            if len(journal.finished()) < planned.schedule.planned:
                refuse_absent(assignment)
            run_matches(planned, journal, play, listener(planned.games, on_played))
        return self

    def report(self) -> str:
        """Tell the results on one page: standings, ratings with a plot, and a cross table.

        Returns: HTML that opens offline, with nothing that is loaded and no script.
        Raises what `results` raises.

        >>> cup.report().startswith("<!DOCTYPE html>")
        True
        """
        page: str = from_above("tournament")(self)
        return page

    def match(self, number: int) -> Match:
        """One match, played again from its record, which proves it.

        number: as `TournamentMatch.number`.
        Raises `UsageError` TOU016 where the journal has no record of it.

        >>> cup.match(0).players
        {'first': 'careful', 'second': 'random'}
        """
        text = self.record(number)
        if text is None:
            raise UsageError.of(
                "TOU016",
                f"the journal of {self.name} has no record of a match {number}",
                fix="plan the tournament with keep_records, and name a match that was played",
            )
        game = next(own.game for own in self._read().results if own.number == number)
        rules = self._planned.games[game]
        return Match.parse(text, game_of(rules), name=f"match {number} of {self.name}")

    def record(self, number: int) -> str | None:
        """The record of a match as text, which `Match.parse` reads; None if it was not kept.

        number: as `TournamentMatch.number`.

        >>> cup.record(0).startswith('{"line": "match"')
        True
        """
        journal = None if self._place is None else find_journal(self._place)
        if journal is None:
            return None
        with journal:
            return journal.record(number)

    @property
    def _place(self) -> Path | None:
        """The file of the journal, if there is one."""
        return self.journal or self._temporary

    def _writable(self) -> Path:
        """The file of the journal, in a temporary folder if nobody named one."""
        if self._place is None:
            folder = mkdtemp(prefix="fogspiel-")
            finalize(self, shutil.rmtree, folder, ignore_errors=True)
            self._temporary = Path(folder, f"tournament{SUFFIX}")
        assert self._place is not None
        return self._place

    def _read(self) -> _Kept:
        """What the journal holds. Raises `UsageError` TOU007 and TOU008."""
        path = self._place
        if self._kept is not None or path is None:
            return self._kept or _Kept()
        journal = find_journal(path)
        if journal is None:
            return _Kept()
        with journal:
            kept = _Kept(tuple(journal.results()), journal.fingerprint, journal.version)
        if not self._own_journal and kept.fingerprint != self._planned.fingerprint:
            raise other_plan(path)
        self._kept = kept
        return kept

    def __repr__(self) -> str:
        told = f"{self.planned:,} matches"
        with suppress(FogspielError):
            told = f"{self.results.played:,} of {self.planned:,} matches played"
        games, players = ", ".join(self.games), ", ".join(self.players)
        return f"Tournament({self.name!r}, games: {games}; players: {players}; {told})"


class _Kept(NamedTuple):
    """What a journal holds, as far as it is needed."""

    results: tuple[MatchResult, ...] = ()
    fingerprint: str | None = None
    version: str | None = None
