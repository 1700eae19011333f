"""Code generation: each shape of call to a relation becomes a Python function of nested loops.

Names in the generated functions: `S` and `J` hold the tables of the state and of the joint move,
`k` is the key of the call (its bound values), `out` the answers so far, `v0 v1 …` variables,
`E7` evaluates plan 7, `T7` is its table. In recursive plans `e` is the table being filled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from fogspiel.machine.prover.call_patterns import BOUND, FREE, SOME, Shape, Signature, leaves
from fogspiel.machine.prover.clause_plans import Call, ClausePlan, Differ
from fogspiel.machine.prover.rulebase import Level
from fogspiel.rules.clauses import Pattern, Var, is_ground, pattern_variables


class AnswerSource(Enum):
    """Source of the answers of a relation."""

    FACTS = "facts"  #: Facts of the rules: one index for the whole game
    GIVEN = "given"  #: `true` and `does`: one index for each state or joint move
    RULES = "rules"  #: A table of the calls made so far


@dataclass(frozen=True, slots=True)
class Target:
    """A relation with a shape of call, as the generated code refers to it."""

    number: int
    signature: Signature
    shape: Shape
    kind: AnswerSource
    level: Level
    slot: int  #: Index of its table among the tables of its level
    component: int | None  #: The recursive component it belongs to
    has_answers: bool  #: Whether a call yields values, or only tells whether it holds


Resolve = Callable[[Signature, Shape], Target]
Constant = Callable[[Pattern], str]


class RelationWriter:
    """Writes the function that evaluates one plan."""

    def __init__(self, target: Target, resolve: Resolve, constant: Constant) -> None:
        self._target = target
        self._resolve = resolve
        self._constant = constant
        self._lines: list[str] = []
        self._tables: dict[str, Target] = {}
        self._names: dict[Var, str] = {}
        self._temporaries = 0
        self._indent = 1

    def source(self, clauses: Sequence[ClausePlan], *, has_facts: bool) -> str:
        """The source of the whole function. has_facts: the relation also has facts."""
        number, recursive = self._target.number, self._target.component is not None
        for clause in clauses:
            self._clause(clause)
        body = self._lines
        self._lines = []
        if recursive:
            self._line(f"def R{number}(S, J, e):")
            self._line("k = e.key; out = e.seen; found = e.answers")
        else:
            self._line(f"def E{number}(S, J, k):")
            self._line("K[0] -= 1")
            self._line(f"if K[0] < 0: tick({number})")
            self._line("out = {}")
        self._lines[0] = self._lines[0].strip()
        for name, target in self._tables.items():
            self._line(f"{name} = {_tables(target)}[{target.slot}]")
            if target.kind is AnswerSource.GIVEN:
                self._line(f"if {name} is None: {name} = E{target.number}(S, J)")
        if has_facts:
            self._own_facts(recursive=recursive)
        self._lines += body
        if not recursive:
            result = "out" if self._target.has_answers else "False"
            self._line(f"{_own_table(self._target)}[k] = {result}")
            self._line(f"return {result}")
        return "\n".join(self._lines) + "\n"

    def _own_facts(self, *, recursive: bool) -> None:
        number = self._target.number
        if not self._target.has_answers:
            self._line(f"if k in F{number}:")
            self._indent += 1
            self._success([])
            self._indent -= 1
        elif recursive:
            self._line(f"for a in F{number}.get(k, ()):")
            self._line("    if a not in out: out.add(a); found.append(a)")
        else:
            self._line(f"for a in F{number}.get(k, ()): out[a] = None")

    def _clause(self, plan: ClausePlan) -> None:
        self._names.clear()
        self._line("for _ in ONCE:")
        self._indent += 1
        self._match_key(plan.inputs)
        wanted = {v for pattern in plan.outputs for v in pattern_variables(pattern)}
        loops = 0
        exits: list[int] = []  # indents of the loops that end after one answer
        for step in plan.steps:
            if isinstance(step, Differ):
                self._differ(step)
                continue
            target = self._resolve(step.signature, step.goal.shape)
            if step.negated or not target.has_answers:
                self._test(step, target)
                continue
            if wanted <= self._names.keys() and plan.outputs:
                if not exits:
                    self._line(f"if {self._values(plan.outputs)} in out: continue")
                    self._line("hit = False")
                exits.append(self._indent)
            self._loop(step, target, nested=loops > 0)
            loops += 1
        self._success(plan.outputs)
        if exits:
            self._line("hit = True")
            self._line("break")
            for indent in reversed(exits[1:]):
                self._indent = indent
                self._line("if hit: break")
        self._indent = 1

    def _match_key(self, inputs: tuple[Pattern, ...]) -> None:
        if len(inputs) == 1:
            self._match("k", inputs[0])
        elif inputs:
            self._unpack("k", inputs)

    def _differ(self, step: Differ) -> None:
        self._line(f"if {self._build(step.left)} == {self._build(step.right)}: continue")

    def _test(self, step: Call, target: Target) -> None:
        """A condition without outputs, which holds or not."""
        if target.kind is AnswerSource.RULES:
            self._fetch(step, target)
            self._line(f"if {'' if step.negated else 'not '}t: continue")
            return
        absent = "in" if step.negated else "not in"
        key = self._values(step.goal.inputs)
        self._line(f"if {key} {absent} {self._table(target)}: continue")

    def _loop(self, step: Call, target: Target, *, nested: bool) -> None:
        recursive = self._is_recursive(target)
        if target.kind is AnswerSource.RULES:
            self._fetch(step, target)
        else:
            key = self._values(step.goal.inputs)
            self._line(f"t = {self._table(target)}.get({key}, ())")
        if nested and not recursive:
            # One loop is as long as a table; only nested loops can take too long.
            self._line("K[0] -= len(t)")
            self._line(f"if K[0] < 0: tick({self._target.number}, len(out))")
        names = [self._fresh(pattern) for pattern in step.goal.outputs]
        self._line(f"for {', '.join(names)} in t:")
        self._indent += 1
        if recursive:
            # The table may grow while it is read, so that this loop can take too long as well.
            self._line("K[0] -= 1")
            self._line(f"if K[0] < 0: tick({self._target.number}, len(out))")
        for name, pattern in zip(names, step.goal.outputs, strict=True):
            self._match(name, pattern)

    def _fetch(self, step: Call, target: Target) -> None:
        """Assign the answers of a call to `t`, from its table or by evaluating it."""
        if self._is_recursive(target):
            key = self._guarded(step.goal.inputs)
            self._line(f"t = e.run.need(e, {target.number}, {key})")
            return
        key = self._values(step.goal.inputs)
        if not key.isidentifier():
            self._line(f"q = {key}")
            key = "q"
        self._line(f"t = {self._table(target)}.get({key})")
        self._line(f"if t is None: t = E{target.number}(S, J, {key})")

    def _is_recursive(self, target: Target) -> bool:
        return target.component is not None and target.component == self._target.component

    def _table(self, target: Target) -> str:
        if target.kind is AnswerSource.FACTS:
            return f"F{target.number}"
        name = f"T{target.number}"
        if target.level is not Level.STATIC:
            self._tables[name] = target
        return name

    def _success(self, outputs: Sequence[Pattern]) -> None:
        recursive = self._target.component is not None
        if not self._target.has_answers:
            if recursive:
                self._line("found.append(())")
                self._line("return")
            else:
                self._line(f"{_own_table(self._target)}[k] = True")
                self._line("return True")
            return
        if recursive:
            self._line(f"a = {self._guarded(outputs)}")
            self._line("if a not in out: out.add(a); found.append(a)")
        else:
            self._line(f"out[{self._values(outputs)}] = None")

    def _values(self, patterns: Sequence[Pattern]) -> str:
        """The values of a key or an answer."""
        return _tuple([self._build(pattern) for pattern in patterns])

    def _build(self, pattern: Pattern) -> str:
        """An expression for a term whose variables are bound."""
        if isinstance(pattern, Var):
            return self._names[pattern]
        if is_ground(pattern):
            return self._constant(pattern)
        return f"({pattern[0]!r}, {', '.join(map(self._build, pattern[1:]))},)"

    def _guarded(self, patterns: Sequence[Pattern]) -> str:
        """The values, with a limit on the depth of terms that are built in a recursion."""
        return _tuple(
            [
                f"guard({self._build(pattern)})"
                if isinstance(pattern, tuple) and not is_ground(pattern)
                else self._build(pattern)
                for pattern in patterns
            ]
        )

    def _fresh(self, pattern: Pattern) -> str:
        """A name for a value to be matched; a new variable has its own name."""
        if isinstance(pattern, Var) and pattern not in self._names:
            self._names[pattern] = name = f"v{len(self._names)}"
            return name
        self._temporaries += 1
        return f"w{self._temporaries}"

    def _match(self, value: str, pattern: Pattern) -> None:
        """Continue only if the value matches, and bind the variables that are new."""
        if isinstance(pattern, Var):
            known = self._names.setdefault(pattern, value)
            if known != value:
                self._line(f"if {value} != {known}: continue")
        elif is_ground(pattern):
            self._line(f"if {value} != {self._constant(pattern)}: continue")
        else:
            self._line(
                f"if type({value}) is not tuple or len({value}) != {len(pattern)} "
                f"or {value}[0] != {pattern[0]!r}: continue"
            )
            self._unpack(f"{value}", pattern[1:], first="_, ")

    def _unpack(self, value: str, patterns: Sequence[Pattern], first: str = "") -> None:
        names = [self._fresh(pattern) for pattern in patterns]
        self._line(f"{first}{', '.join(names)}, = {value}")
        for name, pattern in zip(names, patterns, strict=True):
            self._match(name, pattern)

    def _line(self, text: str) -> None:
        self._lines.append("    " * self._indent + text)


def index_source(target: Target) -> str:
    """The function that indexes the facts of a state or a joint move for a shape of call."""
    modes = leaves(target.shape)
    names = [f"v{index}" for index in range(len(modes))]
    key, answer = (
        _tuple([name for name, mode in zip(names, modes, strict=True) if mode == kind])
        for kind in (BOUND, FREE)
    )
    if not target.has_answers:
        entry = f"index[{key}] = True"
    elif SOME in modes:  # the same answer may come from many facts
        entry = f"index.setdefault({key}, {{}})[{answer}] = None"
    else:
        entry = f"index.setdefault({key}, []).append({answer})"
    tables = _tables(target)
    lines = [
        f"def E{target.number}(S, J):",
        "    index = {}",
        f"    for fact in {tables}[0].get({fact_group(target.shape)!r}, ()):",
        *("        " + line for line in _unpacking(target.shape, names)),
        "        " + entry,
        f"    {tables}[{target.slot}] = index",
        "    return index",
    ]
    return "\n".join(lines) + "\n"


def fact_group(shape: Shape) -> tuple[str, int] | None:
    """The functor and length that the first argument must have; None if it may have any."""
    first = shape[0]
    return None if isinstance(first, str) else (first[0], len(first))


def _unpacking(shape: Shape, names: Sequence[str]) -> list[str]:
    """Statements that take a fact (a tuple of arguments) apart into the leaves of a shape."""
    lines = [f"{', '.join(f'w{index}' for index in range(len(shape)))}, = fact"]
    rest = iter(names)
    for index, mode in enumerate(shape):
        if isinstance(mode, str):
            lines.append(f"{next(rest)} = w{index}")
            continue
        if index > 0:  # facts are already grouped by the first functor
            lines.append(
                f"if type(w{index}) is not tuple or len(w{index}) != {len(mode)} "
                f"or w{index}[0] != {mode[0]!r}: continue"
            )
        lines.append(f"_, {''.join(f'{next(rest)}, ' for _ in mode[1:])}= w{index}")
    return lines


def _tables(target: Target) -> str:
    return "S" if target.level is Level.STATE else "J"


def _own_table(target: Target) -> str:
    if target.level is Level.STATIC:
        return f"T{target.number}"
    return f"{_tables(target)}[{target.slot}]"


def _tuple(names: Sequence[str]) -> str:
    """Expression of some values: a single one as itself, otherwise a tuple."""
    return names[0] if len(names) == 1 else f"({', '.join(names)})"
