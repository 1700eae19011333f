"""Matches between players, in the words and the unit of the game."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from fogspiel.api.history import History
from fogspiel.api.names import Move, Percept
from fogspiel.core.findings import UsageError
from fogspiel.play.records.documents import ggp_document, record_document
from fogspiel.play.records.format import MatchRecord, StepLine
from fogspiel.play.records.reader import parse_record, read_text
from fogspiel.play.records.replay import check_rules, replay
from fogspiel.play.referee import Fault, Step
from fogspiel.solve.files.strategy_file import rules_digest

if TYPE_CHECKING:
    from fogspiel.api.game import Game


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchStep:
    """One step of a match."""

    number: int  #: The number of the step, from 1
    at: float  #: Seconds from the beginning of the match to the end of the step
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
        text: str,
        record: MatchRecord | None = None,
    ) -> None:
        """The match of these steps; use `Game.match` or `Match.open` instead.

        text: the record of the match. record: the same, if it was read already.
        """
        record = record or parse_record(text, "the record")
        heading, roles = record.heading, game.vocabulary.role
        self.game = game  #: The game that was played
        self.game_name: str = heading.game  #: The name of the game in the record
        self.name: str = heading.match  #: The name of the match
        self.began: str = heading.began  #: The time at which it began, in ISO form, in UTC
        self.players: dict[str, str] = {
            roles(role): player for role, player in heading.players.items()
        }
        """The name of every player, by role."""
        self.seed: int = heading.seed  #: The seed of the match
        faults = {} if record.start is None else record.start.faults
        self.start_faults: dict[str, Fault] = {roles(role): own for role, own in faults.items()}
        """Faults of players who were not ready in time, or not at all."""
        self.steps: tuple[MatchStep, ...] = tuple(
            _named(game, step, line) for step, line in zip(steps, record.steps, strict=True)
        )
        """What happened, step by step."""
        self.histories: tuple[History, ...] = tuple(_histories(game, steps))
        """The history before the first step, and after each."""
        self.aborted: str | None = None if record.end is None else record.end.aborted
        """Why the match was given up; None for one that came to its end, or just breaks off."""
        self._record, self._text = record, text

    @property
    def history(self) -> History:
        """Everything that happened, and the state that it led to."""
        return self.histories[-1]

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
                file.write(self._text)
        except OSError as error:
            raise UsageError.of(
                "MAT013",
                f"the record cannot be written to {path}: {error.strerror}",
                fix="give the name of a new file in a folder that is there",
            ) from None

    @classmethod
    def open(
        cls,
        path: str | Path,
        game: Game | str | Path | None = None,
        *,
        domain: str | Path | None = None,
    ) -> Match:
        """The match of a record, played again from its answers and its seed.

        path: a file that `save`, `fogspiel match --record` or a manager wrote.
        game: the game that was played, or its name; for records whose own name of it does not find
        the rules.
        domain: the file with the domain of a POGDDL problem, if it is not beside it.
        Raises `UsageError` MAT008 for what is no record, MAT011 for one of other rules, and
        `PlayError` MAT012 where the record and the rules disagree.

        >>> match.save("again.jsonl")
        >>> fs.Match.open("again.jsonl").history == match.history
        True
        """
        return cls.parse(read_text(Path(path)), game, domain=domain, name=Path(path).name)

    @classmethod
    def parse(
        cls,
        text: str,
        game: Game | str | Path | None = None,
        *,
        domain: str | Path | None = None,
        name: str = "the text",
    ) -> Match:
        """The match of a record that is a text.

        text: the lines of a record.
        game, domain: as in `open`.
        name: what findings call the record.
        Raises as `open`.

        >>> from pathlib import Path
        >>> match.save("third.jsonl")
        >>> fs.Match.parse(Path("third.jsonl").read_text()).history == match.history
        True
        """
        from fogspiel.api.load import load

        record = parse_record(text, name)
        if game is None or isinstance(game, str | Path):
            game = load(record.heading.game if game is None else game, domain=domain)
        check_rules(record, game.machine, rules_digest(game.loaded.sources))
        return cls(game, [made.step for made in replay(record, game.machine)], text, record)

    def document(self, role: str | None = None) -> dict[str, Any]:
        """The match as plain values, as `fogspiel replay --json` prints it.

        role: leaves out what this player did not see.
        Raises `UsageError` API001 for an unknown role.

        >>> match.document("second")["steps"][1]["percepts"]
        ['(holds second jack)']
        """
        if role is None:
            return record_document(self._record)
        player = self.game.vocabulary.player(role)
        document = record_document(self._record, str(player))
        for told, step in zip(document["steps"], self.steps, strict=True):
            # In the order of the rules, as everything that is shown to a role.
            seen = sorted(step.sees[player], key=lambda percept: percept.id)
            told["percepts"] = [str(percept) for percept in seen]
        return document

    def ggp_document(self) -> dict[str, Any]:
        """The match in the form that ggp-base keeps matches in, for viewers of others.

        >>> match.ggp_document()["playerNamesFromHost"]
        ['random', 'first', 'random']
        """
        document: dict[str, Any] = ggp_document(self._record, self.game.machine)
        return document

    def __len__(self) -> int:
        """The number of steps."""
        return len(self.steps)

    def __repr__(self) -> str:
        seats = ", ".join(f"{role}={name}" for role, name in self.players.items())
        ended = "broken off"
        if self.over:
            ended = ", ".join(f"{role} {payoff:g}" for role, payoff in self.payoffs.items())
        return f"Match({self.game.name!r}, {seats}; {len(self)} steps; {ended})"


def _histories(game: Game, steps: Sequence[Step]) -> Iterator[History]:
    """The empty history, and that after each step."""
    history = game.begin()
    yield history
    for step in steps:
        history = history.after_ids(step.joint)
        yield history


def _named(game: Game, step: Step, line: StepLine) -> MatchStep:
    words = game.vocabulary
    return MatchStep(
        number=step.number,
        at=line.at,
        moves={role: words.move(role.id, step.joint[role.id]) for role in game.roles},
        sees={role: words.percepts(role.id, step.percepts[role.id]) for role in game.players},
        faults={game.roles[role]: fault for role, fault in step.faults.items()},
        seconds={game.roles[role]: spent for role, spent in step.seconds.items()},
    )
