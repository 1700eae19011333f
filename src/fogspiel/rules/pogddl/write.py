"""A game in POGDDL as text, laid out for reading. What is written reads back equal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from fogspiel.rules.pogddl import syntax
from fogspiel.rules.sexpr import escape

WIDTH = 96
PLAIN_NAME = re.compile(r"[A-Za-z_][\w.-]*")
REQUIREMENT = re.compile(r":[\w-]+")
RESERVED = frozenset({
    "and", "or", "not", "imply", "exists", "forall", "when", "observe", "assign", "increase",
    "decrease", "scale-up", "scale-down", "either",
})  # fmt: skip


def write(description: syntax.GameDescription) -> str:
    """Domain and problem, as far as there are."""
    parts = []
    if description.domain is not None:
        parts.append(write_domain(description.domain))
    if description.problem is not None:
        parts.append(write_problem(description.problem))
    return "\n".join(parts)


def write_domain(domain: syntax.Domain) -> str:
    """`(define (domain name) …)`."""
    sections = [
        *_list_section(":requirements", map(_requirement, domain.requirements)),
        *_list_section(":types", _typed_groups(domain.types)),
        *_list_section(":constants", _typed_groups(domain.constants)),
        *_list_section(":predicates", map(_declaration, domain.predicates)),
        *_list_section(":functions", _functions(domain.functions)),
        *map(_derived, domain.derived),
        *map(_action, domain.actions),
        *map(_choice, domain.choices),
        *_ends(domain.gains, domain.terminals),
    ]
    return _define("domain", domain.name, sections)


def write_problem(problem: syntax.Problem) -> str:
    """`(define (problem name) …)`."""
    values = (f"(= {_call(v.fluent)} {v.value.value})" for v in problem.values)
    start = [*map(_call, problem.facts), *values]
    sections = [
        *([] if problem.domain is None else [f"(:domain {_name(problem.domain)})"]),
        *_list_section(":requirements", map(_requirement, problem.requirements)),
        *_list_section(":objects", _typed_groups(problem.objects)),
        *_list_section(":init", start),
        *_ends(problem.gains, problem.terminals),
    ]
    return _define("problem", problem.name, sections)


def _define(kind: str, name: syntax.Name, sections: Iterable[str]) -> str:
    inner = "".join("\n" + _indented(section, 1) for section in sections)
    return f"(define ({kind} {_name(name)}){inner})\n"


def _list_section(word: str, items: Iterable[str]) -> list[str]:
    """A section of one item a line, or on one line where it fits; none if it is empty."""
    listed = list(items)
    return [_layout(word, listed)] if listed else []


def _ends(gains: Sequence[syntax.Gain], terminals: Sequence[syntax.Condition]) -> list[str]:
    written = [_layout(":terminal", [_condition(terminal)]) for terminal in terminals]
    for gain in gains:
        head = f":gain {' '.join(_typed_groups(gain.roles))} {_expression(gain.value)}"
        written.append(_layout(head, [_condition(gain.condition)]))
    return written


def _derived(derived: syntax.Derived) -> str:
    return _layout(f":derived {_declaration(derived.head)}", [_condition(derived.condition)])


def _action(action: syntax.Action) -> str:
    lines = [f"(:action {_name(action.name)}", f"  :parameters {_variables(action.parameters)}"]
    if action.precondition is not None:
        lines.append("  :precondition " + _indented(_condition(action.precondition), 1).lstrip())
    if action.effect is not None:
        lines.append("  :effect " + _indented(_effect(action.effect), 1).lstrip())
    return "\n".join(lines) + ")"


def _choice(choice: syntax.Choice) -> str:
    lines = ["(:choose", f"  :parameters {_variables(choice.parameters)}"]
    if choice.condition is not None:
        lines.append("  :condition " + _indented(_condition(choice.condition), 1).lstrip())
    options = [f"{_expression(o.weight)} {_call(o.action)}" for o in choice.options]
    return "\n".join([*lines, f"  :select ({' '.join(options)}))"])


def _condition(condition: syntax.Condition) -> str:
    match condition:
        case syntax.Atom():
            return _call(condition)
        case syntax.And(inner) | syntax.Or(inner):
            word = "and" if isinstance(condition, syntax.And) else "or"
            return _layout(word, [_condition(part) for part in inner])
        case syntax.Not(inner):
            return _layout("not", [_condition(inner)])
        case syntax.Imply(premise, conclusion):
            return _layout("imply", [_condition(premise), _condition(conclusion)])
        case syntax.Quantified(quantifier, variables, inner):
            return _layout(f"{quantifier} {_variables(variables)}", [_condition(inner)])
        case syntax.Equal() | syntax.Comparison():
            return _comparison(condition)


def _comparison(condition: syntax.Equal | syntax.Comparison) -> str:
    if isinstance(condition, syntax.Equal):
        return f"(= {_term(condition.left)} {_term(condition.right)})"
    left, right = _expression(condition.left), _expression(condition.right)
    return f"({condition.operator} {left} {right})"


def _expression(expression: syntax.Expression) -> str:
    match expression:
        case syntax.Number(value):
            return str(value)
        case syntax.Fluent():
            return _call(expression)
        case syntax.Arithmetic(operator, operands):
            return f"({operator} {' '.join([_expression(operand) for operand in operands])})"


def _effect(effect: syntax.Effect) -> str:
    match effect:
        case syntax.Add(atom) | syntax.Delete(atom):
            return _call(atom) if isinstance(effect, syntax.Add) else f"(not {_call(atom)})"
        case syntax.Change(operator, fluent, value):
            return f"({operator} {_call(fluent)} {_expression(value)})"
        case syntax.Effects(inner):
            return _layout("and", [_effect(part) for part in inner])
        case syntax.When(condition, inner):
            return _layout("when", [_condition(condition), _effect(inner)])
        case syntax.ForEach(variables, inner):
            return _layout(f"forall {_variables(variables)}", [_effect(inner)])
        case syntax.Observe(observations):
            told = [f"({_term(o.recipient)} {_call(o.atom)})" for o in observations]
            return _layout("observe", told)


def _layout(head: str, items: Sequence[str]) -> str:
    """`(head item…)`, one item a line where one line is too short."""
    line = f"({' '.join([head, *items])})"
    if len(line) <= WIDTH and "\n" not in line:
        return line
    return "\n".join([f"({head}", *(_indented(item, 1) for item in items)]) + ")"


def _indented(text: str, steps: int) -> str:
    margin = "  " * steps
    return "\n".join(margin + line for line in text.split("\n"))


def _declaration(declaration: syntax.Declaration) -> str:
    return f"({' '.join([_name(declaration.name), *_typed_groups(declaration.parameters)])})"


def _functions(functions: Sequence[syntax.Declaration]) -> list[str]:
    """Declarations of functions, each with its bounds."""
    is_bounded = any(function.bounds for function in functions)
    written = []
    for function in functions:
        text = _declaration(function)
        if function.bounds is not None:
            text += f" - (number {function.bounds.low} {function.bounds.high})"
        elif is_bounded:
            # A function without a type before others would get their bounds.
            text += " - number"
        written.append(text)
    return written


def _variables(variables: Sequence[syntax.Typed]) -> str:
    return f"({' '.join(_typed_groups(variables))})"


def _typed_groups(typed: Sequence[syntax.Typed]) -> list[str]:
    """`a b - type` for each run of names that share their types; untyped names come last."""
    groups: list[str] = []
    waiting: list[str] = []
    for index, item in enumerate(typed):
        waiting.append(_term(item.term))
        following = typed[index + 1].types if index + 1 < len(typed) else None
        if item.types == following:
            continue
        if item.types or following:
            # An untyped name before typed ones would get their type.
            groups.append(f"{' '.join(waiting)} - {_types(item.types)}")
        else:
            groups.append(" ".join(waiting))
        waiting.clear()
    return groups


def _types(types: Sequence[syntax.Name]) -> str:
    if not types:
        return "object"
    names = [_name(name) for name in types]
    return names[0] if len(names) == 1 else f"(either {' '.join(names)})"


def _call(call: syntax.Atom | syntax.Fluent) -> str:
    return f"({' '.join([_name(call.name), *map(_term, call.arguments)])})"


def _term(term: syntax.Term) -> str:
    return f"?{term.name}" if isinstance(term, syntax.Variable) else _name(term)


def _name(name: syntax.Name) -> str:
    """The name; between bars where it would be read as something else."""
    is_plain = PLAIN_NAME.fullmatch(name.text) and name.text.lower() not in RESERVED
    return name.text if is_plain else escape(name.text, "|")


def _requirement(name: syntax.Name) -> str:
    return name.text if REQUIREMENT.fullmatch(name.text) else _name(name)
