"""Names in the case of the rules: managers may send moves and percepts in another one.

Inside, names are compared exactly. What is heard is brought into the spelling of the rules where
only one fits, and what is told is in that spelling. The role of chance is known by its name, which
is in lower case inside and may be `RANDOM` in the rules.
"""

from __future__ import annotations

from fogspiel.core.terms import GroundTerm
from fogspiel.rules.gdl.syntax import CHANCE_ROLE
from fogspiel.rules.sexpr import TOKEN


class LetterCase:
    """How some rules write their names."""

    def __init__(self, rules: str) -> None:
        names = {token for token in TOKEN.findall(rules) if token[0] not in "();?|"}
        spellings: dict[str, list[str]] = {}
        for name in sorted(names):
            spellings.setdefault(name.lower(), []).append(name)
        self._names = names
        self._by_lower_case = {low: s[0] for low, s in spellings.items() if len(s) == 1}
        self._chance = self._by_lower_case.get(CHANCE_ROLE, CHANCE_ROLE)
        """How the rules write the role of chance."""
        self.rules = rules if self._chance == CHANCE_ROLE else self._with_chance(rules)
        """The rules to be loaded."""

    def heard(self, term: GroundTerm) -> GroundTerm:
        """A term of a message, as it is known inside."""
        if not isinstance(term, str):
            return tuple(self.heard(part) for part in term)
        name = term if term in self._names else self._by_lower_case.get(term.lower(), term)
        return CHANCE_ROLE if name == self._chance else name

    def heard_name(self, name: str) -> str:
        """A role of a message, as it is known inside."""
        heard = self.heard(name)
        assert isinstance(heard, str)
        return heard

    def told(self, term: GroundTerm) -> GroundTerm:
        """A term of the machine, as the rules write it."""
        if not isinstance(term, str):
            return tuple(self.told(part) for part in term)
        return self._chance if term == CHANCE_ROLE else term

    def _with_chance(self, rules: str) -> str:
        return TOKEN.sub(
            lambda match: CHANCE_ROLE if match.group() == self._chance else match.group(), rules
        )
