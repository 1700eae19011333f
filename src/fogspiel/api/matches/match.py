"""Matches between players, in the words and the unit of the game."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Literal, final

from fogspiel.api.history import History
from fogspiel.api.matches.player import AnyPlayer, entrant_of
from fogspiel.api.names import Move, Percept, Role
from fogspiel.core.findings import UsageError
from fogspiel.machine.protocol import player_roles
from fogspiel.play.clocks import MatchClocks
from fogspiel.play.inline_player import Contender
from fogspiel.play.loop import play_contenders
from fogspiel.play.records.format import Recorder, heading_for
from fogspiel.play.records.reader import parse_record, read_text
from fogspiel.play.records.replay import check_rules, replay
from fogspiel.play.referee import Fault, Step
from fogspiel.play.series import refuse_entrants, warm_up
from fogspiel.solve.files.strategy_file import rules_digest

if TYPE_CHECKING:
    from fogspiel.api.game import Game

DEFAULT_SIMULATIONS = 1_000  #: Simulations for each move where nobody gives a clock


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchStep:
    """One step of a match."""

    number: int  #: The number of the step, from 1
    moves: Mapping[str, Move]  #: The move of every role, chance included
    sees: Mapping[str, tuple[Percept, ...]]  #: What every player saw, besides its own move
    faults: Mapping[str, Fault]
    """Why the moves of some players were replaced by legal ones: `kind` and `text`."""
    seconds: Mapping[str, float]  #: The time that every player took


@final
class Match:
    """A match that was played, or read from its record.

    `Game.match` plays one, `Match.open` reads one and proves it by playing it again.

    >>> game = fs.load("kuhn_poker")
    >>> match = game.match("first", "random", seed=5)
    >>> match.over, match.steps[2].moves["first"], match.faults
    (True, Move('bet'), {'first': [], 'second': []})
    """

    def __init__(
        self,
        game: Game,
        steps: Sequence[Step],
        *,
        players: Mapping[str, str],
        seed: int,
        start_faults: Mapping[str, Fault] | None = None,
        record: Sequence[str] = (),
    ) -> None:
        """The match of these steps; use `Game.match` or `Match.open` instead."""
        self.game = game  #: The game that was played
        self.players: dict[str, str] = dict(players)  #: The name of every player, by role
        self.seed = seed  #: The seed of the match
        self.start_faults: dict[str, Fault] = dict(start_faults or {})
        """Faults of players who were not ready in time, or not at all."""
        self.steps: tuple[MatchStep, ...] = tuple(_named(game, step) for step in steps)
        """What happened, step by step."""
        self.history: History = game.history([step.joint for step in steps])
        """Everything that happened, and the state that it led to."""
        self._record = tuple(record)

    @property
    def over(self) -> bool:
        """Whether the match came to its end; one that broke off did not."""
        return self.history.over

    @property
    def payoffs(self) -> dict[str, float]:
        """The payoff of every player in the unit of the game. Raises as `History.payoffs`."""
        return self.history.payoffs

    @property
    def goals(self) -> dict[str, Fraction]:
        """The goal of every player as the rules count."""
        return self.history.goals

    @property
    def faults(self) -> dict[str, list[tuple[int, Fault]]]:
        """The faults of every player, with the numbers of their steps; 0 is getting ready."""
        found: dict[str, list[tuple[int, Fault]]] = {role: [] for role in self.players}
        for role, fault in self.start_faults.items():
            found[role].append((0, fault))
        for step in self.steps:
            for role, fault in step.faults.items():
                found[role].append((step.number, fault))
        return found

    def save(self, path: str | Path) -> None:
        """Write the record of the match, which `fogspiel replay` and `Match.open` read.

        path: a file that is not there yet.
        Raises `UsageError` MAT013 where a file is in the way or cannot be written.

        >>> match.save("match.jsonl")
        """
        try:
            with Path(path).open("x", encoding="utf-8", newline="\n") as file:
                file.writelines(self._record)
        except OSError as error:
            raise UsageError.of(
                "MAT013",
                f"the record cannot be written to {path}: {error.strerror}",
                fix="give the name of a new file in a folder that is there",
            ) from None

    @classmethod
    def open(cls, path: str | Path, game: Game | None = None) -> Match:
        """The match of a record, played again from its answers and its seed.

        path: a file that `save`, `fogspiel match --record` or a manager wrote.
        game: the game that was played, where the record's name of it does not find the rules.
        Raises `UsageError` MAT008 for what is no record, MAT011 for one of other rules, and
        `PlayError` MAT012 where the record and the rules disagree.

        >>> match.save("again.jsonl")
        >>> fs.Match.open("again.jsonl").history == match.history
        True
        """
        return cls._of(read_text(Path(path)), game, Path(path).name)

    @classmethod
    def parse(cls, text: str, game: Game | None = None, *, name: str = "the text") -> Match:
        """The match of a record that is a text.

        text: the lines of a record.
        game: as in `open`.
        name: what findings call the record.
        Raises as `open`.

        >>> from pathlib import Path
        >>> match.save("third.jsonl")
        >>> fs.Match.parse(Path("third.jsonl").read_text()).history == match.history
        True
        """
        return cls._of(text, game, name)

    @classmethod
    def _of(cls, text: str, game: Game | None, name: str) -> Match:
        from fogspiel.api.load import load

        record = parse_record(text, name)
        heading = record.heading
        own = game or load(heading.game)
        check_rules(record, own.machine, rules_digest(own.loaded.sources))
        steps = [made.step for made in replay(record, own.machine)]
        faults = {} if record.start is None else record.start.faults
        return cls(
            own,
            steps,
            players={own.vocabulary.role(role): name for role, name in heading.players.items()},
            seed=heading.seed,
            start_faults={own.vocabulary.role(role): fault for role, fault in faults.items()},
            record=text.splitlines(keepends=True),
        )

    def __len__(self) -> int:
        """The number of steps."""
        return len(self.steps)

    def __repr__(self) -> str:
        seats = ", ".join(f"{role}={name}" for role, name in self.players.items())
        ended = "broken off"
        if self.over:
            ended = ", ".join(f"{role} {payoff:g}" for role, payoff in self.payoffs.items())
        return f"Match({self.game.name!r}, {seats}; {len(self)} steps; {ended})"


def clocks_of(
    seconds: float | None, simulations: int | None, start_seconds: float | None = None
) -> MatchClocks:
    """The clocks of a match: seconds or simulations for each move, 1,000 simulations by default.

    Raises `UsageError` MAT004 where both are given, or a time before play without a clock, and
    `ValueError` for a time that is not more than 0, or a number of simulations below 1.
    """
    for name, given in (("seconds", seconds), ("start_seconds", start_seconds)):
        if given is not None and not 0.0 < given < math.inf:
            raise ValueError(f"{name} must be a finite number of more than 0; got {given!r}")
    if simulations is not None and (simulations < 1 or int(simulations) != simulations):
        raise ValueError(f"simulations must be a whole number of 1 or more; got {simulations!r}")
    if seconds is not None and simulations is not None:
        raise UsageError.of(
            "MAT004",
            "players think for a time or for a number of simulations; both were given",
            fix="give either seconds or simulations",
        )
    if start_seconds is not None and seconds is None:
        raise UsageError.of(
            "MAT004",
            "players think for a number of simulations; a time before play was given as well",
            fix="give the time before play together with seconds, or leave it out",
        )
    if seconds is None and simulations is None:
        simulations = DEFAULT_SIMULATIONS
    return MatchClocks(start_seconds=start_seconds, turn_seconds=seconds, simulations=simulations)


def play_match(
    game: Game,
    players: Sequence[AnyPlayer] | Mapping[str, AnyPlayer],
    *,
    seconds: float | None = None,
    simulations: int | None = None,
    start_seconds: float | None = None,
    seed: int = 0,
    on_fault: Literal["raise", "replace"] = "raise",
) -> Match:
    """Play one match; `Game.match` says what the arguments mean."""
    clocks = clocks_of(seconds, simulations, start_seconds)
    seats = seats_of(game, players)
    entrants = {role: entrant_of(game, player) for role, player in seats.items()}
    if seconds is not None:
        warm_up(game.machine, list(entrants.values()))
    lines: list[str] = []
    names: dict[str, str] = {role: entrant.name for role, entrant in entrants.items()}
    heading = heading_for(
        game.machine,
        match=f"{game.name}-{seed}",
        game=game.name,
        rules=rules_digest(game.loaded.sources),
        players={role.id: entrant.name for role, entrant in entrants.items()},
        seed=seed,
        clocks=clocks,
    )
    played = play_contenders(
        game.machine,
        {
            role.id: Contender(
                make=entrant.make,
                start_budget=clocks.start_budget,
                turn_budget=clocks.turn_budget,
            )
            for role, entrant in entrants.items()
        },
        seed=seed,
        on_fault=on_fault,
        grace_seconds=clocks.grace_seconds,
        recorder=Recorder(game.machine, heading, lines.append),
    )
    return Match(
        game,
        played.steps,
        players=names,
        seed=seed,
        start_faults={game.roles[role]: fault for role, fault in played.start_faults.items()},
        record=lines,
    )


def seats_of(
    game: Game, players: Sequence[AnyPlayer] | Mapping[str, AnyPlayer]
) -> dict[Role, AnyPlayer]:
    """The player of each role, from players in the order of the roles or by their names.

    Raises `UsageError` API001 for an unknown role, MAT003 unless there is one for each role.
    """
    if isinstance(players, Mapping):
        named = {game.vocabulary.player(role): player for role, player in players.items()}
        players = [named[role] for role in game.players if role in named]
    refuse_entrants(game.machine, len(players))
    roles = [game.roles[role] for role in player_roles(game.machine)]
    return dict(zip(roles, players, strict=True))


def _named(game: Game, step: Step) -> MatchStep:
    words = game.vocabulary
    return MatchStep(
        number=step.number,
        moves={role: words.move(role.id, step.joint[role.id]) for role in game.roles},
        sees={role: words.percepts(role.id, step.percepts[role.id]) for role in game.players},
        faults={game.roles[role]: fault for role, fault in step.faults.items()},
        seconds={game.roles[role]: spent for role, spent in step.seconds.items()},
    )
