"""What the terms of a rule sheet became in POGDDL."""

from __future__ import annotations

from dataclasses import dataclass

from fogspiel.core.terms import GroundTerm
from fogspiel.rules.translate.to_pogddl.flat import FlatLiteral, FlatProgram
from fogspiel.rules.translate.to_pogddl.vocabulary import PogddlVocabulary


@dataclass(frozen=True, slots=True)
class Correspondence:
    """Terms of GDL to terms of its translation."""

    flat: FlatProgram
    vocabulary: PogddlVocabulary
    has_percepts: bool

    def role(self, role: str) -> str:
        """What a role is called."""
        return self.vocabulary.roles[role]

    def fluent(self, term: GroundTerm) -> GroundTerm:
        """The atom of a fluent."""
        literal = self.flat.literal("true", [term])
        return self._term(self.vocabulary.predicates[literal.key], literal)

    def move(self, role: str, term: GroundTerm) -> GroundTerm:
        """The action by which a role chooses its move."""
        literal = self.flat.literal("does", [role, term])
        return self._term(self.vocabulary.actions[literal.key], literal)

    def percept(self, role: str, term: GroundTerm) -> GroundTerm:
        """What a role is told; where all see the joint move, `term` is `(does role move)`."""
        if not self.has_percepts:
            assert isinstance(term[1], str)
            return self.move(term[1], term[2])
        literal = self.flat.literal("sees", [role, term])
        return self._term(self.vocabulary.percepts[literal.key], literal, first=1)

    def _term(self, name: str, literal: FlatLiteral, first: int = 0) -> GroundTerm:
        objects = [
            self.vocabulary.object(literal.key, index, part)
            for index, part in enumerate(literal.arguments)
            if isinstance(part, str)
        ]
        return (name, *objects[first:]) if objects[first:] else name
