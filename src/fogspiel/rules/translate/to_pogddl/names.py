"""Names that PDDL can write, each used once."""

from __future__ import annotations

import re

from fogspiel.rules.pogddl.write import RESERVED

WORDS = {"+": "plus", "-": "minus", "*": "times", "/": "slash", "<": "less", ">": "more"}
"""What single signs are called; other signs inside names become `_`."""
NEVER = RESERVED | {"all", "others", "object", "number", "_", "assign", "define"}


def spelled(name: str) -> str:
    """A name as PDDL has them: it starts with a letter; numerals become n5, or m5 for -5."""
    if re.fullmatch(r"[0-9][\w.-]*", name, re.ASCII):
        return f"n{name}"
    if re.fullmatch(r"[+-][0-9]+", name):
        return ("m" if name[0] == "-" else "p") + name[1:]
    if name in WORDS:
        return WORDS[name]
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", name)
    return plain if plain[:1].isalpha() else f"x{plain}"


class UniqueNames:
    """The names of one kind: of predicates, objects, types or actions.

    Planners read capital and small letters alike, so names that differ in them alone count as one.
    """

    def __init__(self, *taken: str) -> None:
        self._taken = {name.lower() for name in (*NEVER, *taken)}

    def fresh(self, wanted: str) -> str:
        """The name as wanted, or with a number behind it."""
        name, number = spelled(wanted), 1
        plain = name
        while name.lower() in self._taken:
            number += 1
            name = f"{plain}-{number}"
        self._taken.add(name.lower())
        return name
