"""A third way to the same answers: clingo derives all that holds in one state.

Quick enough for large sheets, where the naive evaluator is not. It writes the clauses down by
itself and shares nothing with the grounding that the compiled machine stands on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import clingo
from naive_evaluator import Facts

from fogspiel.core.terms import GroundTerm
from fogspiel.rules.clauses import Clause, Condition, Literal, Pattern, Program, TermComparison, Var


def asp_model(
    program: Program, fluents: Iterable[GroundTerm], joint: Iterable[GroundTerm]
) -> Facts:
    """All that holds in a state, with a move for each role (none: pass no moves)."""
    given = [Literal("true", (fluent,)) for fluent in fluents]
    given += [Literal("does", pair) for pair in zip(program.roles, joint, strict=False)]
    clauses = [*program.clauses, *map(Clause, given)]
    predicates = _Predicates()
    control = clingo.Control(["--warn=none"])
    control.add("base", [], "\n".join(predicates.written(clause) for clause in clauses))
    control.ground([("base", [])])
    facts: Facts = defaultdict(set)
    with control.solve(yield_=True) as models:
        (model,) = models  # a stratified program has exactly one
        for atom in model.symbols(atoms=True):
            facts[predicates.signature(atom.name)].add(tuple(map(_term, atom.arguments)))
    return facts


class _Predicates:
    """Names that clingo accepts for the relations of a game."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, int], int] = {}

    def signature(self, name: str) -> tuple[str, int]:
        return list(self._numbers)[int(name[1:])]

    def written(self, clause: Clause) -> str:
        names: dict[Var, str] = {}
        body = ", ".join(self._condition(condition, names) for condition in clause.body)
        return f"{self._condition(clause.head, names)} :- {body}."

    def _condition(self, condition: Condition, names: dict[Var, str]) -> str:
        if isinstance(condition, TermComparison):
            sign = "=" if condition.equal else "!="
            return f"{_text(condition.left, names)} {sign} {_text(condition.right, names)}"
        number = self._numbers.setdefault(condition.signature, len(self._numbers))
        arguments = ", ".join(_text(argument, names) for argument in condition.arguments)
        return f"{'not ' if condition.negated else ''}p{number}({arguments})"


def _text(pattern: Pattern, names: dict[Var, str]) -> str:
    if isinstance(pattern, Var):
        return names.setdefault(pattern, f"V{len(names)}")
    if isinstance(pattern, str):
        return '"' + pattern.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return f"f({', '.join(_text(part, names) for part in pattern)})"


def _term(symbol: clingo.Symbol) -> GroundTerm:
    if symbol.type is clingo.SymbolType.String:
        return str(symbol.string)
    return tuple(map(_term, symbol.arguments))
