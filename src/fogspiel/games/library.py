"""The bundled games: an index of known facts about each, and its rule text.

The index files in `index/` describe the games; a game's rules are either a committed sheet
`rules/NAME.gdl` or `rules/NAME.pogddl`, or written on demand by a family (`families/`), e.g.
`breakthrough(7,7)`.
Nothing is read before it is asked for: commands that need one game should start fast.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any

from fogspiel.core.findings import UsageError
from fogspiel.core.source import Source
from fogspiel.core.user_code import MOST_FILES, code_name, names_beside
from fogspiel.core.values import Unit
from fogspiel.games.families import family_call, family_names, write_rules

HERE = Path(__file__).parent
INDEX_FILES = ("board", "simultaneous", "hidden", "planning")
"""The index files, in the order in which their games are listed."""
GDL, POGDDL = "gdl", "pogddl"
SHEETS = (".gdl", ".kif", ".pogddl", ".efg")
"""Endings of rule files, for errors about words that name none."""

_CALL = re.compile(r"(?P<family>[a-z][a-z0-9_]*)\((?P<arguments>[^()]*)\)")


@dataclass(frozen=True, slots=True)
class Fact:
    """Something known about a game from outside its rule sheet; tests check it."""

    value: Any  #: A number, a name, or a (nested) list of them, as TOML holds it
    source: str  #: The publication or program that says so

    @property
    def text(self) -> str:
        """The value as people write it."""
        return _value_text(self.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class GameEntry:
    """One bundled game as its index describes it.

    >>> fs.bundled_games()["kuhn_poker"].tags
    ('hidden-information', 'chance', 'cards')
    """

    name: str  #: The name by which it is loaded
    title: str  #: The name in words
    rules_source: str
    """The origin of the rules: a book, a paper, a federation, or common knowledge."""
    description: str  #: What is played, in a sentence or two
    facts: Mapping[str, Fact] = field(default_factory=dict)  #: What is known, such as its value
    unit: Unit | None = None  #: The unit of its payoffs; None where goals are payoffs themselves
    tags: tuple[str, ...] = ()  #: Kinds of games that it belongs to, such as `hidden`
    family: str | None = None
    """The family that writes the rules; without one they are in `rules/NAME.LANGUAGE`."""
    parameters: tuple[int, ...] = ()  #: Arguments of the family
    language: str = GDL  #: The language of the rules: `gdl` (GDL and GDL-II) or `pogddl`


@cache
def bundled_games() -> Mapping[str, GameEntry]:
    """Every bundled game by its name, with what is known about it.

    >>> kuhn = fs.bundled_games()["kuhn_poker"]
    >>> kuhn.title, kuhn.facts["value_first_player"].value
    ('Kuhn poker', [-1, 18])
    """
    entries: dict[str, GameEntry] = {}
    for stem in INDEX_FILES:
        path = HERE / "index" / f"{stem}.toml"
        if path.exists():
            tables = tomllib.loads(path.read_text(encoding="utf-8"))
            entries.update((name, _entry(name, table)) for name, table in tables.items())
    return MappingProxyType(entries)


def game_source(name: str) -> Source:
    """The rules of a bundled game, or of a member of a family: `hex(5)`.

    Raises `UsageError` GAM001 for an unknown name, GAM003 for parameters a family cannot take.
    """
    entry = bundled_games().get(name)
    if entry is not None and entry.family is not None:
        return Source(name, write_rules(entry.family, entry.parameters))
    if entry is not None:
        sheet = HERE / "rules" / f"{name}.{entry.language}"
        return Source(sheet.name, sheet.read_text(encoding="utf-8"))
    call = _CALL.fullmatch(name.replace(" ", ""))
    if call is not None and call["family"] in family_names():
        return Source(name, family_call(call["family"], call["arguments"]))
    raise _unknown_game(name)


def resolve(name_or_path: str) -> Source:
    """The rules that a user means: a bundled name, a member of a family, or a file.

    A bundled name wins over a file of the same name; `./NAME` reaches the file.
    """
    if name_or_path in bundled_games():
        return game_source(name_or_path)
    path = Path(name_or_path)
    if is_python_name(name_or_path):
        raise no_text(name_or_path)
    if path.exists() or path.suffix or len(path.parts) > 1:
        from fogspiel.rules.gdl.read import read_file

        return read_file(path)
    return game_source(name_or_path)


def is_python_name(word: str) -> bool:
    """Whether a word names a game in Python: `coin.py:CoinToss`, perhaps with settings."""
    return code_name(word.partition(",")[0]) is not None


def no_text(name: str) -> UsageError:
    """Error for a game in Python where rules are needed as text."""
    return UsageError.of(
        "GAM004",
        f"the game {name} is written in Python and has no rules as text",
        fix="write it in GDL or POGDDL to translate, ground or send its rules; `fogspiel convert "
        "--to efg` writes its tree",
    )


def _entry(name: str, table: Mapping[str, Any]) -> GameEntry:
    payoff = table.get("payoff")
    unit = Unit(payoff["unit"], payoff["offset"], payoff["scale"]) if payoff else None
    return GameEntry(
        name=name,
        title=table["title"],
        rules_source=table["rules_source"],
        description=table["description"],
        facts=MappingProxyType({key: Fact(**fact) for key, fact in table.get("facts", {}).items()}),
        unit=unit,
        tags=tuple(table.get("tags", ())),
        family=table.get("family"),
        parameters=tuple(table.get("parameters", ())),
        language=table.get("language", GDL),
    )


def _unknown_game(name: str) -> UsageError:
    known = dict.fromkeys([*bundled_games(), *family_names()])
    files = islice(Path().glob("*"), MOST_FILES)
    beside = sorted(str(file) for file in files if file.stem == name and file.suffix in SHEETS)
    meant = [*beside, *names_beside(name), *_close_names(name, known)]
    if meant:
        fix = f"did you mean {' or '.join(meant)}?"
    else:
        fix = "give a bundled name (`fogspiel games` lists them) or the path of a rule file"
    return UsageError.of("GAM001", f"there is no bundled game {name!r}", fix=fix)


def _close_names(name: str, known: Iterable[str]) -> list[str]:
    plain = re.sub(r"[\s-]+", "_", name.strip().lower())
    return difflib.get_close_matches(plain, known, n=3, cutoff=0.6)


def _value_text(value: object) -> str:
    """The value of a fact as people write it."""
    match value:
        case Mapping():
            return ", ".join(f"{name} {_value_text(inner)}" for name, inner in value.items())
        case list():
            between = "; " if any(isinstance(inner, list) for inner in value) else ", "
            return between.join(map(_value_text, value))
        case bool() | str():
            return str(value)
        case int():
            return f"{value:,}"
        case _:
            return f"{value:.7g}"
