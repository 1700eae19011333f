"""Registries: what users choose by name, with one line about each choice.

Players, belief methods, solvers, evaluations and studies are entries of registries. A new one is
one more entry where its registry is made; listings and error messages follow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TypeVar

from fogspiel.core.findings import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One choice of a registry; subclasses add what makes the thing itself."""

    name: str  #: The name by which it is chosen
    what: str  #: What it is or does, in a few words: the line of a list fits 80 columns
    details: str = ""  #: Everything else that a user should know, as sentences
    source: str = ""  #: The publication that it comes from
    fits: str = ""  #: The games that it is good for
    argument: str = ""  #: What may follow the name and a colon, as a noun phrase


_Entry_co = TypeVar("_Entry_co", bound=Entry, covariant=True)


class Registry(Mapping[str, _Entry_co]):
    """Entries by name, in the order in which they are listed."""

    def __init__(
        self, noun: str, code: str, entries: Iterable[_Entry_co], *, also: Iterable[str] = ()
    ) -> None:
        """Collect the entries.

        noun: what an entry is called in error messages.
        code: the code of the error for an unknown name.
        also: names that the caller handles itself, listed before the others in that error.
        """
        self._noun, self._code, self._also = noun, code, tuple(also)
        self._entries = {entry.name: entry for entry in entries}

    def __getitem__(self, name: str) -> _Entry_co:
        """The entry of a known name; raises `KeyError` for any other."""
        return self._entries[name]

    def __iter__(self) -> Iterator[str]:
        """Names in order."""
        return iter(self._entries)

    def __len__(self) -> int:
        """The number of entries."""
        return len(self._entries)

    def find(
        self,
        name: str,
        *,
        typed: str | None = None,
        also: Iterable[str] = (),
        meant: Iterable[str] = (),
    ) -> _Entry_co:
        """The entry of a name that a user typed, alone or as part of a longer word `typed`.

        also: more names that the caller handles, listed after the others in the error.
        meant: words that the user may have meant, asked for before the nearest names.
        Raises `UsageError` with the code of the registry, all names, and the nearest ones.
        """
        if not isinstance(name, str):
            raise TypeError(f"the name of a {self._noun} is a text; got {name!r}")
        if name in self._entries:
            return self._entries[name]
        names = [*self._also, *self._entries, *also]
        close = " or ".join([*meant, *get_close_matches(name, names, n=3)])
        hint = f"did you mean {close}? Otherwise " if close else ""
        raise UsageError.of(
            self._code,
            f"there is no {self._noun} {(name if typed is None else typed)!r}",
            fix=f"{hint}use one of {', '.join(names)}",
        )
