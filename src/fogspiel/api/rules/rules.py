"""Rules of games as text, which are read, checked and translated before anything is compiled."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias, final

from fogspiel.core.source import Source
from fogspiel.games.library import GameEntry, bundled_games, resolve

if TYPE_CHECKING:
    from fogspiel.api.game import Game
    from fogspiel.api.rules.check import CheckReport
    from fogspiel.games.convert import Conversion, Format
    from fogspiel.games.making import EngineChoice
    from fogspiel.rules.languages import Language

FORMATS = ("gdl", "infix", "pogddl", "efg")
GROUND_SECONDS = 5.0  #: Time that a check takes for grounding; play allows more
MAX_TREE_NODES = 1_000_000  #: Nodes of a tree that is written as EFG

RulesText: TypeAlias = "str | bytes | BinaryIO"
"""The rules themselves: a text, its bytes, or an open binary file that holds them."""


@final
class Rules:
    """The rules of a game as text. `Rules.open` finds them, `Rules.read` takes the text itself.

    Rules are equal if their texts are.

    >>> rules = fs.Rules.open("kuhn_poker")
    >>> rules
    Rules('kuhn_poker', language='gdl', lines=140)
    """

    def __init__(self, sources: Sequence[Source], *, entry: GameEntry | None = None) -> None:
        """The rules of these texts; use `Rules.open` or `Rules.read` instead."""
        self.sources: tuple[Source, ...] = tuple(sources)
        """One text, or the domain and the problem of a game in POGDDL, each with its name."""
        self.entry = entry  #: Known facts of a bundled game, with their sources

    @staticmethod
    def open(game: str | Path, *, domain: str | Path | None = None) -> Rules:
        """Open the rules of a game.

        game: a bundled name (`fogspiel.bundled_games` has them), a member of a family such as
        `hex(5)`, or the path of a file.
        domain: the file with the domain of a POGDDL problem; without it, it is looked for beside
        the problem.
        Returns: the rules, which may still have errors: `check` tells them.
        Raises `UsageError` for an unknown name (GAM001) and a file that cannot be read (GAM002).

        >>> fs.Rules.open("kuhn_poker_pogddl").language
        'pogddl'
        """
        from fogspiel.games.load import with_domain

        word = str(game)
        source, entry = resolve(word), bundled_games().get(word)
        texts = with_domain(source, Path(word)) if domain is None else _with_domain(source, domain)
        return Rules(texts, entry=entry)

    @staticmethod
    def read(rules: RulesText, *, name: str = "rules", domain: str | Path | None = None) -> Rules:
        """Take rules as they are, in GDL, POGDDL or EFG.

        rules: the text, its bytes, or an open binary file, of which no more than 8 MiB are read.
        name: what the rules are called in findings.
        domain: the file with the domain of a POGDDL problem.
        Returns: the rules, which may still have errors: `check` tells them.
        Raises `LimitError` GDL012 for a text that is too long, `RulesError` GDL011 for no text.

        >>> fs.Rules.read("(role white)", name="mine.gdl")
        Rules('mine.gdl', language='gdl', lines=1)
        """
        if isinstance(rules, str):
            return Rules(_with_domain(Source(name, rules), domain))
        from fogspiel.rules.gdl.read import DEFAULT_LIMITS, source_from_bytes

        if isinstance(rules, bytes):
            source = source_from_bytes(name, rules)
        elif hasattr(rules, "read"):
            source = source_from_bytes(name, rules.read(DEFAULT_LIMITS.bytes + 1))
        else:
            raise TypeError(f"rules are a text; got {type(rules).__name__}")
        return Rules(_with_domain(source, domain))

    @property
    def name(self) -> str:
        """The bundled name, or that of the file."""
        return self.entry.name if self.entry else self.sources[-1].name

    @property
    def plain_name(self) -> str:
        """The name without folders, endings and signs, which is also the name of a file."""
        name = self.sources[-1].name
        stem = "" if name.startswith("<") else Path(name).stem
        return re.sub(r"[^A-Za-z0-9_-]+", "-", stem).strip("-") or "game"

    @property
    def text(self) -> str:
        """The rules as they are written, those of the domain of a POGDDL problem first."""
        return "\n".join(source.text for source in self.sources)

    @property
    def language(self) -> Language:
        """The language: `gdl` (GDL and GDL-II), `pogddl` or `efg`."""
        from fogspiel.rules.languages import language_of

        return language_of(self.sources[0].text)

    def check(
        self,
        *,
        ground_seconds: float | None = GROUND_SECONDS,
        playouts: int | None = None,
        seed: int = 0,
    ) -> CheckReport:
        """Check the rules: all findings, each with place, reason and fix.

        ground_seconds: time to try if the rules can be grounded; None not to try.
        playouts: audit so many random playouts too, and prove what holds where all states can be
        visited.
        seed: for the playouts.
        Returns: the findings, and the verdicts of the audit. Bad rules raise nothing.

        >>> print(rules.check())
        kuhn_poker: no findings
        """
        from fogspiel.api.rules.check import checked

        return checked(self, ground_seconds=ground_seconds, playouts=playouts, seed=seed)

    def convert(
        self,
        to: Format,
        *,
        ground_seconds: float | None = None,
        max_nodes: int = MAX_TREE_NODES,
    ) -> Conversion:
        """Write the game in another language, or in its own anew.

        to: `gdl` (GDL-II in prefix notation), `infix` (the same with `:-`), `pogddl`, or `efg`,
        which holds the whole tree, with the payoffs of a bundled game in its own unit.
        ground_seconds: time for grounding the rules, where that is needed.
        max_nodes: the largest tree that is written as EFG.
        Returns: the `text`, and what goals of a text in GDL-II stand for: a payoff is
        (goal - `offset`) / `scale`.
        Raises `RulesError` for rules with errors, `LimitError` TRE001 for a tree that is too large.

        >>> rules.convert("efg").text.splitlines()[0]
        'EFG 2 R "kuhn_poker" { "first" "second" }'
        """
        from fogspiel.api.load import limits_of
        from fogspiel.games.convert import convert

        if to not in FORMATS:
            raise ValueError(f"to must be one of {', '.join(FORMATS)}; got {to!r}")
        return convert(
            self.sources,
            to,
            name=self.plain_name,
            unit=self.entry.unit if self.entry else None,
            limits=limits_of(ground_seconds),
            max_nodes=max_nodes,
        )

    def load(self, *, engine: EngineChoice = "auto", ground_seconds: float | None = None) -> Game:
        """Make the game of the rules, ready to be played.

        engine, ground_seconds: as in `fogspiel.load`.
        Returns: the game.
        Raises `RulesError` with all errors of the rules.

        >>> rules.load() == fs.load("kuhn_poker")
        True
        """
        from fogspiel.api.game import Game
        from fogspiel.api.load import limits_of, refuse_engine
        from fogspiel.games.load import load_sources

        refuse_engine(engine)
        limits = limits_of(ground_seconds)
        return Game(load_sources(self.sources, engine=engine, limits=limits, entry=self.entry))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rules) and self.sources == other.sources

    def __hash__(self) -> int:
        return hash(self.sources)

    def __repr__(self) -> str:
        lines = sum(len(source.text.splitlines()) for source in self.sources)
        return f"Rules({self.name!r}, language={self.language!r}, lines={lines})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rules_again, (self.sources, self.entry.name if self.entry else None)


def _with_domain(source: Source, domain: str | Path | None) -> tuple[Source, ...]:
    """A text, after that of the domain of a problem if a file is named."""
    if domain is None:
        return (source,)
    from fogspiel.rules.gdl.read import read_file

    return read_file(domain), source


def _rules_again(sources: tuple[Source, ...], name: str | None) -> Rules:
    """The same rules in another process, or after they were stored."""
    return Rules(sources, entry=None if name is None else bundled_games()[name])
