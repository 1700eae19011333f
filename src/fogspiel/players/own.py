"""Players of one's own: classes of users, and players of installed packages, as agents.

A class is a player if its objects make an agent (`MakesAgent`, as those of `fogspiel.Player` do) or
are one. Whatever its code raises becomes an error that names the player and shows the line.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from operator import index
from typing import NoReturn, ParamSpec, TypeAlias, TypeVar

from fogspiel.core.budget import Budget
from fogspiel.core.code_faults import fault_of
from fogspiel.core.findings import FogspielError, PlayError, UsageError
from fogspiel.core.terms import MoveId, Observation
from fogspiel.core.user_code import classes_of
from fogspiel.players.names import Arguments
from fogspiel.players.protocol import Agent, KnowsMoves, MakesAgent, Mixing, Seat, Shares, Thinks

GROUP = "fogspiel.players"
"""The group of entry points by which installed packages add players."""
ILLEGAL = "MAT001"  #: The code of an answer that is no legal move
MOST_CHARACTERS = 60  #: Characters of a wrong answer that an error shows
METHODS = ("start", "choose", "observe", "stop")

_Given = ParamSpec("_Given")
_Answer = TypeVar("_Answer")
Setting: TypeAlias = "int | float | bool | str"


def own_agent(found: object, arguments: Arguments) -> Agent:
    """The agent of a player of one's own.

    found: a class or function that makes a player of the settings, or a player.
    Raises `UsageError` PLY021 for words without a key, PLY031 for what is no player, PLY032 for a
    class without `choose`, PLY033 for settings that it does not take, and PLY034 if it fails.
    """
    name, settings = arguments.player, arguments.settings()
    arguments.refuse_rest("settings as key=value, separated by commas")
    values = {key: setting_of(value) for key, value in settings.items()}
    if isinstance(found, type) and not _is_player_class(found):
        raise _no_player(name, found)
    if isinstance(found, type) or (callable(found) and not isinstance(found, MakesAgent | Agent)):
        _refuse_abstract(name, found)
        _refuse_settings(name, found, values)
        made = _made(name, lambda: found(**values))
    elif settings:
        raise arguments.unusable(next(iter(settings)), "no settings: it is an object, not a class")
    else:
        made = found
    agent = _made(name, made.agent) if isinstance(made, MakesAgent) else made
    if not isinstance(agent, Agent):
        raise _no_player(name, agent)
    return OwnAgent(name, agent)


def players_in(path: str) -> list[str]:
    """The names of the player classes that a file states, in its order; running it finds them.

    Those that do not say how to choose are left out where there are others.
    Raises `UsageError` OWN001 for no file, OWN003 if running it fails, PLY038 if there are none.
    """
    found = {name: own for name, own in classes_of(path).items() if _is_player_class(own)}
    whole = [name for name, own in found.items() if not getattr(own, "__abstractmethods__", ())]
    if not found:
        raise UsageError.of(
            "PLY038",
            f"{path} has no class of a player",
            fix="write a class that is derived from fogspiel.Player, with a method choose",
        )
    return whole or list(found)


def setting_of(text: str) -> Setting:
    """The value of a setting: a whole number, a number, true or false, or else the text."""
    if text.lower() in {"true", "false"}:
        return text.lower() == "true"
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text


@cache
def installed_players() -> Mapping[str, EntryPoint]:
    """The players of installed packages, by name."""
    return {found.name: found for found in sorted(entry_points(group=GROUP))}


def loaded(entry_point: EntryPoint) -> object:
    """What an entry point names. Raises `UsageError` PLY030 if it cannot be loaded."""
    try:
        found: object = entry_point.load()
    except (Exception, SystemExit) as error:
        fault = fault_of(error)
        raise UsageError.of(
            "PLY030",
            f"the player {entry_point.name} cannot be loaded from {entry_point.value}: "
            f"{fault.text}",
            fix="repair or reinstall the package that it belongs to",
            source=fault.source,
            span=fault.span,
        ) from error
    return found


class OwnAgent:
    """A player of one's own, whose faults become errors that say where they are."""

    def __init__(self, name: str, agent: Agent) -> None:
        self.agent = agent
        self._name, self._role, self._steps = name, "", 0
        # Only what the player can do is offered: others ask by what there is.
        if isinstance(agent, KnowsMoves):
            self.legal_moves = self._guarded(agent.legal_moves)
        if isinstance(agent, Mixing):
            self.mixture: Callable[[Budget], Shares] = self._guarded(agent.mixture)
        if isinstance(agent, Thinks):
            self.ponder = self._guarded(agent.ponder)

    def start(self, seat: Seat, budget: Budget) -> None:
        """Let the player get ready. Raises `PlayError` PLY035, as the other methods do."""
        self._role, self._steps = seat.machine.roles[seat.role], 0
        self._guarded(self.agent.start)(seat, budget)

    def choose(self, budget: Budget) -> MoveId:
        """The choice of the player. Raises `PlayError` MAT001 for what is no move."""
        answer: object = self._guarded(self.agent.choose)(budget)
        try:
            return MoveId(index(answer))  # type: ignore[arg-type]  # that is what is tried
        except TypeError:
            raise PlayError.of(
                ILLEGAL,
                f"{self._place} made no move: it answered {repr(answer)[:MOST_CHARACTERS]}",
                fix="return the number of a legal move, or derive the class from fogspiel.Player",
            ) from None

    def observe(self, observation: Observation) -> None:
        """Tell the player of a step."""
        self._guarded(self.agent.observe)(observation)
        self._steps += 1

    def stop(self) -> None:
        """Tell the player that the match is over."""
        self._guarded(self.agent.stop)()

    @property
    def _place(self) -> str:
        return f"in step {self._steps + 1}, the player {self._name} of {self._role}"

    def _guarded(self, work: Callable[_Given, _Answer]) -> Callable[_Given, _Answer]:
        def guarded(*given: _Given.args, **named: _Given.kwargs) -> _Answer:
            try:
                return work(*given, **named)
            except (Exception, SystemExit) as error:
                self._fail(error)

        return guarded

    def _fail(self, error: BaseException) -> NoReturn:
        fault, text, fix = fault_of(error), None, "correct the code of the player"
        if isinstance(error, FogspielError):
            first = error.findings[0]
            if first.code == ILLEGAL:
                raise error
            text, fix = f"{first.code} {first.message}", first.fix
        raise PlayError.of(
            "PLY035",
            f"{self._place} failed: {text or fault.text}",
            fix=fix,
            source=fault.source,
            span=fault.span,
        ) from error


def _is_player_class(found: type) -> bool:
    return callable(getattr(found, "agent", None)) or all(
        callable(getattr(found, method, None)) for method in METHODS
    )


def _refuse_abstract(name: str, found: object) -> None:
    missing = sorted(getattr(found, "__abstractmethods__", ()))
    if missing:
        raise UsageError.of(
            "PLY032",
            f"the player {name} does not say how to play: it lacks {', '.join(missing)}",
            fix="write `def choose(self, view, legal, clock)`, which returns one of the moves in "
            "legal",
        )


def _refuse_settings(
    name: str, made_by: Callable[..., object], values: Mapping[str, Setting]
) -> None:
    """Refuse settings that the constructor does not take, or lack of those that it needs."""
    try:
        signature = inspect.signature(made_by)
    except (TypeError, ValueError):
        return  # what is not written in Python may not tell
    try:
        signature.bind(**values)
    except TypeError as error:
        takes = ", ".join(signature.parameters) or "no settings"
        raise UsageError.of(
            "PLY033",
            f"the player {name} cannot be made of {_listed(values)}: {error}",
            fix=f"it takes {takes}; write {name},key=value",
        ) from None


def _made(name: str, make: Callable[[], object]) -> object:
    try:
        return make()
    except (Exception, SystemExit) as error:
        fault = fault_of(error)
        raise UsageError.of(
            "PLY034",
            f"the player {name} cannot be made: {fault.text}",
            fix="correct its constructor, or give other settings",
            source=fault.source,
            span=fault.span,
        ) from error


def _no_player(name: str, found: object) -> UsageError:
    kind = "a class" if isinstance(found, type) else f"of type {type(found).__name__}"
    return UsageError.of(
        "PLY031",
        f"{name} is {kind} that is no player",
        fix="derive the class from fogspiel.Player and write its method choose",
    )


def _listed(values: Mapping[str, Setting]) -> str:
    return ", ".join(f"{key}={value}" for key, value in values.items()) or "no settings"
