"""The grammar of players' names, in which users say who plays.

    NAME[:word][,key=value…]                   a player of the catalogue, or of an installed package
    FILE.py:Class[,key=value…]                 a class in a file
    package.module:Class[,key=value…]          a class in a module

Words and settings are separated by commas, and settings may come in any order. A comma inside of
brackets separates nothing; square brackets around a whole word or value only hold it together, and
are taken off. Two players, `scripted` and `solved`, take all that follows the colon as one text.
"""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from fogspiel.core.findings import UsageError
from fogspiel.core.user_code import CodeName, code_name

HEAD = re.compile(r"(?P<name>[^:,]*)(?:(?P<mark>[:,])(?P<argument>.*))?", re.DOTALL)
CODE = re.compile(r"(?P<code>[^:]*?\.py(?::[^,]*)?|[^,]*)(?:,(?P<argument>.*))?", re.DOTALL)
OPENING, CLOSING = "([", ")]"
HUMAN = "human"  #: The person at a terminal, who plays by `fogspiel play` alone


@dataclass(frozen=True, slots=True)
class PlayerName:
    """A player's name, taken apart."""

    text: str  #: The whole, as it was typed
    name: str  #: The name without argument: `uct`, or `bots.py:Cautious`
    code: CodeName | None  #: The class, of a player that is named by its code
    argument: str | None  #: The text of words and settings; None if there is none

    @property
    def arguments(self) -> Arguments:
        """Words and settings, to be taken.

        Raises `UsageError` PLY021 for a setting that is given twice.
        """
        return Arguments(self.name, self.argument)

    def within(self, folder: Path, *, takes_file: bool) -> str:
        """The name with the path of its file from the root, if it is meant from a folder.

        takes_file: whether the first word, or all behind the colon, may be the name of a file.
        """
        if self.code is not None:
            settings = "" if self.argument is None else f",{self.argument}"
            return f"{self.code.within(folder)}{settings}"
        if not takes_file or not self.argument:
            return self.text
        for word in (self.argument, split(self.argument)[0]):
            path = (folder / ungrouped(word)).resolve()
            if path.is_file():
                rest = self.argument.removeprefix(word)
                return f"{self.name}:{f'[{path}]' if rest else path}{rest}"
        return self.text


def player_name(text: str, known: Container[str] = ()) -> PlayerName:
    """The parts of a player's name.

    known: names of the catalogue, which name no modules. Files are told from names without them.
    """
    head = HEAD.fullmatch(text)
    assert head is not None
    if head["name"] not in known:
        parts = CODE.fullmatch(text)
        assert parts is not None
        code = code_name(parts["code"])
        if code is not None and ":" not in code.place:
            return PlayerName(text, parts["code"], code, parts["argument"])
    return PlayerName(text, head["name"], None, head["argument"])


class Arguments:
    """The words and settings behind a player's name. Each is taken once; then none may be left."""

    def __init__(self, player: str, text: str | None) -> None:
        self.player, self.text = player, text
        self._words: list[str] = []
        self._settings: dict[str, str] = {}
        for part in [] if text is None else split(text):
            key, equals, value = part.partition("=")
            if not equals or not key.isidentifier():
                self._words.append(part)
            elif key in self._settings:
                raise self.unusable(part, f"{key} once")
            else:
                self._settings[key] = value

    def whole(self) -> str | None:
        """Take all as the one text that was typed, if there is any."""
        self._words.clear()
        self._settings.clear()
        return self.text

    def word(self) -> str | None:
        """Take the next word, if there is one."""
        return ungrouped(self._words.pop(0)) if self._words else None

    def next_word(self) -> str | None:
        """The next word, which is not taken."""
        return ungrouped(self._words[0]) if self._words else None

    def setting(self, key: str) -> str | None:
        """Take the value of a setting, if it is given."""
        value = self._settings.pop(key, None)
        return None if value is None else ungrouped(value)

    def settings(self) -> dict[str, str]:
        """Take all settings."""
        taken = {key: ungrouped(value) for key, value in self._settings.items()}
        self._settings.clear()
        return taken

    def refuse_rest(self, wanted: str) -> None:
        """Raise `UsageError` PLY021 for what nobody took. wanted: what the player takes."""
        left = [*self._words, *(f"{key}={value}" for key, value in self._settings.items())]
        if left:
            raise self.unusable(left[0], wanted)

    def unusable(self, argument: str, wanted: str) -> UsageError:
        """The error PLY021, for an argument that the player cannot use."""
        return UsageError.of(
            "PLY021", f"the player {self.player} cannot use {argument!r}", fix=f"give {wanted}"
        )


def split(text: str) -> list[str]:
    """The parts between commas that are not inside of brackets.

    Where brackets do not pair up they mean nothing, as in names of files.
    """
    if not _pairs_up(text):
        return text.split(",")
    parts, depth = [""], 0
    for character in text:
        depth += _step(character)
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def ungrouped(value: str) -> str:
    """A value without square brackets that hold the whole of it together."""
    is_group = len(value) > 1 and value[0] == "[" and value[-1] == "]"
    return value[1:-1] if is_group and _pairs_up(value[1:-1]) else value


def _pairs_up(text: str) -> bool:
    """Whether each bracket is closed after it was opened, without regard to its shape."""
    depths = list(accumulate(map(_step, text)))
    return not depths or (min(depths) >= 0 and depths[-1] == 0)


def _step(character: str) -> int:
    return (character in OPENING) - (character in CLOSING)
