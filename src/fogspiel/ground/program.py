"""The variable-free program of a game, and how rules become one.

Clauses become an answer-set program whose grounding over-approximates all reachable play: every
fluent that is initial or may come next may be true, every move that may be legal may be made.

    {true(F)} :- init(F).   {true(F)} :- next(F).   {does(R,M)} :- legal(R,M).

GDL names may be anything (`01`, `+x`, `r-1`), so every name is replaced: constants by integers,
functors and relations by `f7` and `p7`. Relations with a meaning of their own keep their names.
"""

from __future__ import annotations

import re
import time
from collections import defaultdict
from dataclasses import dataclass, field, replace

from fogspiel.core.findings import LimitError
from fogspiel.core.limits import GroundLimits
from fogspiel.core.terms import GroundTerm, format_term
from fogspiel.ground.arithmetic.expressions import UnsuitedError
from fogspiel.ground.arithmetic.register import Register
from fogspiel.ground.arithmetic.registers import Arithmetised, arithmetise
from fogspiel.ground.gringo import GrounderStoppedError, GroundRules, parse_output, run_grounder
from fogspiel.ground.split import split_rules
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
from fogspiel.rules.gdl.normalise.estimate import CEILING, estimate_instances
from fogspiel.rules.numbers import NumericProgram

ALWAYS = 0  #: The atom number of what holds in every state

HOPELESS_SECONDS = 2.0  #: Time for rules that seem to build terms without end: the estimate may err

REASONS = {
    "GRD001": ("takes too long", "lower the number of joined conditions"),
    "GRD002": ("needs too much memory", "lower the number of joined conditions"),
    "GRD003": ("has too many atoms", "use fewer arguments in the relations it derives"),
    "GRD004": ("has too many rules", "split the rule so that fewer variables meet in one body"),
    "GRD005": ("failed", "run `fogspiel check`; if it finds nothing, please report the rules"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundProgram:
    """Every relation that matters to play, as atom numbers of `rules`. Sorted, so it repeats."""

    rules: GroundRules
    roles: tuple[str, ...]
    chance_role: str | None
    has_percepts: bool
    initial: frozenset[GroundTerm]
    fluents: dict[GroundTerm, int]  #: What may be true: term -> atom of `true`
    moves: dict[tuple[str, GroundTerm], int]  #: What may be done: (role, move) -> atom of `does`
    next: dict[GroundTerm, int]
    legal: dict[tuple[str, GroundTerm], int]
    goals: dict[tuple[str, GroundTerm], int]
    sees: dict[tuple[str, GroundTerm], int]
    terminal: int | None  #: Atom of `terminal`; None where it never holds
    registers: tuple[Register, ...] = ()
    """The numbers that play changes, each with the fluents of its bits."""
    gains: tuple[tuple[str, int, int], ...] | None = None
    """Payoffs as (role, amount, atom), to be summed; None where `goals` say what roles get."""
    goal_scale: int = 1  #: A goal g stands for the payoff g / goal_scale
    weights: tuple[tuple[GroundTerm, int, int], ...] | None = None
    """Weights of chance as (move, weight, atom), to be summed; None where chance is uniform."""
    seconds: float = field(compare=False)


def ground(program: Program, limits: GroundLimits | None = None) -> GroundProgram:
    """Ground a program. Raises `LimitError` naming the rule that explodes."""
    limits = limits or GroundLimits()
    started = time.perf_counter()
    estimates = estimate_instances(program)
    encoding = encode(split_rules(program, estimates))
    if max(estimates, default=0.0) >= CEILING:
        seconds = min(limits.processor_seconds, HOPELESS_SECONDS)
        limits = replace(limits, processor_seconds=seconds)
    try:
        rules, shown = parse_output(run_grounder(encoding.text, limits, encoding.shown))
    except GrounderStoppedError as stop:
        raise _explosion(program, stop) from None
    atoms = _atoms(encoding, shown)
    terminal = atoms["terminal"].get(())
    moves = _by_role_and_term(atoms["legal"])
    numbers = None
    if isinstance(program, NumericProgram):
        numbers = _arithmetised(program, rules, atoms, moves, terminal)
    return GroundProgram(
        rules=numbers.rules if numbers else rules,
        roles=program.roles,
        chance_role=program.chance_role,
        has_percepts=program.has_percepts,
        initial=frozenset(_by_term(atoms["init"])) | (numbers.initial if numbers else frozenset()),
        fluents=_by_term(atoms["true"]) | (numbers.fluents if numbers else {}),
        moves=_by_role_and_term(atoms["does"]),
        next=_by_term(atoms["next"]) | (numbers.next if numbers else {}),
        legal=moves,
        goals=_by_role_and_term(atoms["goal"]),
        sees=_by_role_and_term(atoms["sees"]),
        terminal=numbers.terminal if numbers else terminal,
        registers=numbers.registers if numbers else (),
        gains=numbers.gains if numbers else None,
        goal_scale=program.numbers.goal_scale if isinstance(program, NumericProgram) else 1,
        weights=numbers.weights if numbers else None,
        seconds=time.perf_counter() - started,
    )


def _atoms(
    encoding: Encoding, shown: dict[str, int]
) -> dict[str, dict[tuple[GroundTerm, ...], int]]:
    """The named atoms of each relation, by their arguments."""
    found: dict[str, dict[tuple[GroundTerm, ...], int]] = defaultdict(dict)
    for symbol, atom in shown.items():
        relation, arguments = encoding.decode(symbol)
        found[relation][arguments] = atom
    return found


def _arithmetised(
    program: NumericProgram,
    rules: GroundRules,
    atoms: dict[str, dict[tuple[GroundTerm, ...], int]],
    legal: dict[tuple[str, GroundTerm], int],
    terminal: int | None,
) -> Arithmetised:
    """The numbers of a program as registers. Raises `LimitError` where they cannot be."""
    by_chance = {move: atom for (role, move), atom in legal.items() if role == program.chance_role}
    relations = {
        relation: dict(sorted(atoms[relation].items(), key=lambda item: format_term(item[0])))
        for relation in program.numbers.relations
    }
    following = {term: atom for (term,), atom in atoms["next"].items()}
    try:
        return arithmetise(
            program.numbers,
            rules,
            relations,
            legal=by_chance,
            following=following,
            terminal=terminal,
        )
    except UnsuitedError as reason:
        raise LimitError.of(
            "GRD006",
            f"the rules have {reason}, which binary registers cannot hold",
            fix="keep to whole numbers and to + - *; divide by what never changes",
            source=program.source,
        ) from None


def _by_term(atoms: dict[tuple[GroundTerm, ...], int]) -> dict[GroundTerm, int]:
    terms = ((arguments[0], atom) for arguments, atom in atoms.items())
    return dict(sorted(terms, key=lambda item: format_term(item[0])))


def _by_role_and_term(
    atoms: dict[tuple[GroundTerm, ...], int],
) -> dict[tuple[str, GroundTerm], int]:
    # A role is a name; an atom about any other term can never matter.
    pairs = (((role, term), atom) for (role, term), atom in atoms.items() if isinstance(role, str))
    return dict(sorted(pairs, key=lambda item: (item[0][0], format_term(item[0][1]))))


def _explosion(program: Program, stop: GrounderStoppedError) -> LimitError:
    """The finding for a program that passed a limit: which rule, and by how much."""
    what, fix = REASONS[stop.code]
    message = f"grounding {what}: {stop.reached}"
    span = None
    if stop.code != "GRD005" and program.clauses:
        estimates = estimate_instances(program)
        worst = max(range(len(estimates)), key=estimates.__getitem__)
        span = program.clauses[worst].span
        message += f"; this rule alone stands for about {estimates[worst]:.2g} ground rules"
    return LimitError.of(stop.code, message, fix=fix, source=program.source, span=span)


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
