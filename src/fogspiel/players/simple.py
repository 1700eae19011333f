"""Players without search: `random`, `first` and `scripted`, as baselines and for tests.

`scripted` plays the moves of a script, one a turn. A script is a text of moves as the rules write
them, in a file or given in place of it. A single legal move may be written or left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fogspiel.core.budget import Budget
from fogspiel.core.findings import PlayError, UsageError
from fogspiel.core.source import Source, Span
from fogspiel.core.terms import GroundTerm, MoveId, format_term
from fogspiel.players.base import BeliefPlayer, MixedPlayer, uniform_policy
from fogspiel.players.names import Arguments
from fogspiel.players.protocol import Agent, PlayerEntry, Shares
from fogspiel.rules.gdl.read import DEFAULT_LIMITS
from fogspiel.rules.sexpr import ground_term, read_nodes

MOST_NAMED = 8  #: Legal moves that an error names
INLINE = "script"  #: Name in errors of a script that is given in place of a file


class RandomPlayer(MixedPlayer):
    """A player that draws uniformly from its legal moves."""

    def mixture(self, budget: Budget) -> Shares:
        """The uniform strategy, (legal moves,)."""
        return uniform_policy(len(self.legal_moves(budget)))


class FirstPlayer(BeliefPlayer):
    """A player that always makes the first legal move, in the order of the rules."""

    def choose(self, budget: Budget) -> MoveId:
        """The first legal move."""
        return self.legal_moves(budget)[0]


@dataclass(frozen=True, slots=True)
class Script:
    """Moves, with their places in the source."""

    source: Source
    moves: tuple[tuple[GroundTerm, Span], ...]


class ScriptedPlayer(BeliefPlayer):
    """A player that follows a script, and stops the match where it cannot."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._next = 0

    def choose(self, budget: Budget) -> MoveId:
        """The next move of the script.

        Raises `PlayError` PLY001 for one that is not legal, PLY004 for one that the rules do not
        know, and PLY005 where the script is over.
        """
        legal = self.legal_moves(budget)
        moves = self._script.moves
        wanted = self._move(*moves[self._next]) if self._next < len(moves) else None
        if wanted in legal:
            self._next += 1
            return wanted
        if len(legal) == 1:
            return legal[0]
        raise self._misfit(legal, is_over=wanted is None)

    def _move(self, term: GroundTerm, span: Span) -> MoveId:
        try:
            return self.machine.move_id(self.role, term)
        except PlayError:
            role = self.machine.roles[self.role]
            raise PlayError.of(
                "PLY004",
                f"{role} has no move {format_term(term)} in any state",
                fix="write moves as `fogspiel play` lists them",
                source=self._script.source,
                span=span,
            ) from None

    def _misfit(self, legal: Sequence[MoveId], *, is_over: bool) -> PlayError:
        step, role = len(self.observations) + 1, self.machine.roles[self.role]
        names = [format_term(self.machine.move_term(self.role, move)) for move in legal]
        fix = f"write one of: {', '.join(names[:MOST_NAMED])}"
        if is_over:
            made = f"{self._next} move{'' if self._next == 1 else 's'}"
            message = f"in step {step}, {role} has a choice, but the script is over after {made}"
            return PlayError.of("PLY005", message, fix, source=self._script.source)
        term, span = self._script.moves[self._next]
        message = f"in step {step}, {role} cannot legally do {format_term(term)}"
        return PlayError.of("PLY001", message, fix, source=self._script.source, span=span)


def scripted(arguments: Arguments) -> Agent:
    """A player with a script in a file, or with the moves themselves.

    Raises `UsageError` PLY006 if there is no script.
    """
    argument = arguments.whole()
    if argument is None:
        raise _unreadable("the player scripted needs a script")
    return ScriptedPlayer(read_script(argument))


def read_script(argument: str) -> Script:
    """A script from a file of that name if there is one, else from the moves themselves.

    Raises `UsageError` PLY006 for a text without moves, or a file that cannot be read.
    """
    path = Path(argument)
    if "(" not in argument and path.is_file():
        try:
            source = Source(argument, path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise _unreadable(f"{argument} cannot be read: {error}") from None
    elif "(" not in argument and (path.suffix or len(path.parts) > 1):
        raise _unreadable(f"there is no file {argument}")
    else:
        source = Source(INLINE, argument)
    nodes, faults = read_nodes(source, DEFAULT_LIMITS)
    if faults:
        raise UsageError(faults)
    if not nodes:
        raise _unreadable(f"{source.name} holds no moves")
    return Script(source, tuple((ground_term(node), node.span) for node in nodes))


def _unreadable(message: str) -> UsageError:
    return UsageError.of(
        "PLY006",
        message,
        fix="give a file or moves after a colon, e.g. 'scripted:(mark 1 1) (mark 2 2)'",
    )


SCRIPTED = PlayerEntry(
    name="scripted",
    what="plays the moves of a script, one per turn",
    source="for tests and replays",
    fits="matches whose moves are known beforehand",
    make=scripted,
    argument="a file of moves, or the moves themselves (required)",
    takes_file=True,
)
"""Kept apart from the players of every game, since it needs a script."""
