"""Clauses as an answer-set program whose grounding over-approximates all reachable play.

Every fluent that is initial or may come next may be true, every move that may be legal may be made:

    {true(F)} :- init(F).   {true(F)} :- next(F).   {does(R,M)} :- legal(R,M).

GDL names may be anything (`01`, `+x`, `r-1`), so every name is replaced: constants by integers,
functors and relations by `f7` and `p7`. Relations with a meaning of their own keep their names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from fogspiel.core.terms import GroundTerm
from fogspiel.rules.clauses import (
    DOES,
    PLAYED,
    TRUE,
    Clause,
    Condition,
    Literal,
    Pattern,
    Program,
    TermComparison,
    Var,
)
from fogspiel.rules.numbers import NumericProgram

KEPT = PLAYED | {TRUE, DOES}
SHOWN = tuple(f"{name}/{arity}" for name, arity in sorted(KEPT))
"""The relations whose ground atoms are asked for by name, besides those of numbers."""
REACHABILITY = """\
{true(F)} :- init(F).
{true(F)} :- next(F).
{does(R,M)} :- legal(R,M).
"""
RENAMED = re.compile(r"p[0-9]+")
TOKEN = re.compile(r"[(),]|[^(),]+")


@dataclass(frozen=True, slots=True)
class Encoding:
    """The program text, and the names to read its grounding by."""

    text: str
    names: list[str]
    shown: tuple[str, ...]  #: `name/arity` of the relations whose ground atoms are asked for

    def decode(self, symbol: str) -> tuple[str, tuple[GroundTerm, ...]]:
        """Relation and arguments of a shown atom such as `true(f3(1,2))`."""
        relation, arguments = self._decode(symbol)
        if RENAMED.fullmatch(relation):
            relation = self.names[int(relation[1:])]
        return relation, arguments

    def _decode(self, symbol: str) -> tuple[str, tuple[GroundTerm, ...]]:
        stack: list[list[GroundTerm]] = [[]]
        functors: list[str] = []
        pending = ""
        for token in TOKEN.findall(symbol):
            if token == "(":
                functors.append(pending)
                stack.append([])
                pending = ""
            elif token in ",)":
                if pending:
                    stack[-1].append(self.names[int(pending)])
                    pending = ""
                if token == ")":
                    arguments = stack.pop()
                    functor = functors.pop()
                    if not functors:
                        return functor, tuple(arguments)
                    stack[-1].append((self.names[int(functor[1:])], *arguments))
            else:
                pending = token
        return pending, ()


def encode(program: Program) -> Encoding:
    """The program as text for clingo."""
    encoder = _Encoder()
    lines = [encoder.clause(clause) for clause in program.clauses]
    shown = SHOWN
    if isinstance(program, NumericProgram):
        relations = sorted(program.numbers.relations.items())
        shown += tuple(encoder.signature(name, arity) for name, arity in relations)
    return Encoding(REACHABILITY + "\n".join(lines) + "\n", encoder.names, shown)


@dataclass(slots=True)
class _Encoder:
    names: list[str] = field(default_factory=list)
    _ids: dict[str, int] = field(default_factory=dict)

    def clause(self, clause: Clause) -> str:
        variables: dict[Var, str] = {}
        head = self._atom(clause.head, variables)
        body = ",".join(self._condition(condition, variables) for condition in clause.body)
        if clause.is_choice:
            head = f"{{{head}}}"
        return f"{head}:-{body}." if body else f"{head}."

    def signature(self, relation: str, arity: int) -> str:
        """`name/arity` of a relation of the program."""
        return f"p{self._id(relation)}/{arity}"

    def _condition(self, condition: Condition, variables: dict[Var, str]) -> str:
        if isinstance(condition, TermComparison):
            left = self._term(condition.left, variables)
            right = self._term(condition.right, variables)
            return f"{left}{'=' if condition.equal else '!='}{right}"
        atom = self._atom(condition, variables)
        return f"not {atom}" if condition.negated else atom

    def _atom(self, literal: Literal, variables: dict[Var, str]) -> str:
        name = literal.predicate
        if literal.signature not in KEPT:
            name = f"p{self._id(name)}"
        if not literal.arguments:
            return name
        return f"{name}({','.join(self._term(a, variables) for a in literal.arguments)})"

    def _term(self, pattern: Pattern, variables: dict[Var, str]) -> str:
        if isinstance(pattern, Var):
            return variables.setdefault(pattern, f"V{len(variables)}")
        if isinstance(pattern, str):
            return str(self._id(pattern))
        arguments = ",".join(self._term(argument, variables) for argument in pattern[1:])
        assert isinstance(pattern[0], str)
        return f"f{self._id(pattern[0])}({arguments})"

    def _id(self, name: str) -> int:
        found = self._ids.get(name)
        if found is None:
            found = self._ids[name] = len(self.names)
            self.names.append(name)
        return found
