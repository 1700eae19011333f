"""Checks of a network of methods that has been read.

They look at each method (are its variables bound where they are used?), at the network (is every
task answered, and every method asked for?), and at the game, if its words are given.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fogspiel.core.findings import FindingCollector
from fogspiel.core.source import Span
from fogspiel.core.terms import format_term
from fogspiel.plan.language.method_terms import (
    DISTINCT,
    OPERATOR,
    GameVocabulary,
    Stranger,
    stranger_in_atom,
    stranger_in_term,
    variables_of,
)
from fogspiel.plan.task_network import Method, Pattern, task_key

MOST_NAMED = 8  #: Names that a fix lists
TaskKey = tuple[str, int] | None


@dataclass(slots=True)
class Written:
    """A method with the places of its parts in the text."""

    method: Method
    task_span: Span
    operator_span: Span | None
    expansion_spans: tuple[Span, ...]
    is_sound: bool = True  #: Whether a planner can use it; set by the checks


def check_network(
    notes: FindingCollector,
    written: Sequence[Written],
    vocabulary: GameVocabulary | None,
    *,
    is_complete: bool,
) -> None:
    """Report all faults of methods, alone and together.

    is_complete: whether all methods of the file could be read. If not, those that are missing may
    be just what others ask for, and nothing is said about it.
    """
    _check_names(notes, written)
    for one in written:
        _check_bindings(notes, one)
        if vocabulary is not None:
            _check_words(notes, one, vocabulary)
    if is_complete:
        _check_tasks(notes, written)
        _check_ends(notes, written)


def _check_names(notes: FindingCollector, written: Sequence[Written]) -> None:
    """Report methods that share a name: plans name the methods that they use."""
    first: dict[str, Written] = {}
    for one in written:
        earlier = first.setdefault(one.method.name, one)
        if earlier is one:
            continue
        assert earlier.method.span is not None
        line = notes.source.position(earlier.method.span.start).line
        message = f"a method `{one.method.name}` was written before, in line {line}"
        fix = "give each method a name of its own; several may answer the same task"
        notes.error("PLN012", one.method.span, message, fix)
        one.is_sound = False


def _check_bindings(notes: FindingCollector, one: Written) -> None:
    """Report variables without a value: conditions are solved from left to right."""
    method = one.method
    bound = set(variables_of(method.task)) if method.task is not None else set()
    for literal in method.when:
        used = variables_of(literal.atom)
        if literal.positive and literal.atom[0] != DISTINCT:
            bound.update(used)
        else:
            _need(notes, one, used, bound, literal.span)
    if method.operator is not None:
        _need(notes, one, variables_of(method.operator), bound, one.operator_span)
    for task, span in zip(method.expansion, one.expansion_spans, strict=True):
        _need(notes, one, variables_of(task), bound, span)


def _need(
    notes: FindingCollector, one: Written, used: Iterable[str], bound: set[str], span: Span | None
) -> None:
    for variable in dict.fromkeys(used):
        if variable in bound:
            continue
        one.is_sound = False
        close = notes.close_name(variable, bound)
        fix = f"add a condition before it that holds for some {variable}"
        notes.error(
            "PLN009",
            span,
            f"nothing says what {variable} stands for here",
            f"did you mean {close}? Otherwise {fix}" if close else fix,
        )
        # Once is enough: the cause is the same wherever else it is used.
        bound.add(variable)


def _check_words(notes: FindingCollector, one: Written, vocabulary: GameVocabulary) -> None:
    """Report words that the game does not have: such a method could never apply."""
    for literal in one.method.when:
        if literal.atom[0] == DISTINCT:
            continue
        stranger = stranger_in_atom(literal.atom, vocabulary)
        if stranger is not None:
            _report(notes, one, "PLN015", stranger, literal.span)
    if one.method.operator is not None:
        stranger = stranger_in_term(one.method.operator, OPERATOR, vocabulary)
        if stranger is not None:
            _report(notes, one, "PLN016", stranger, one.operator_span)


def _report(
    notes: FindingCollector, one: Written, code: str, stranger: Stranger, span: Span | None
) -> None:
    kind = "move" if stranger.kind == OPERATOR else stranger.kind
    one.is_sound = False
    if stranger.arities:
        counts = " or ".join(map(str, stranger.arities))
        message = f"the {kind} `{stranger.name}` takes {counts} arguments, not {stranger.arity}"
        notes.error(code, span, message, f"write `{stranger.name}` with {counts} arguments")
        return
    some = ", ".join(stranger.known[:MOST_NAMED])
    more = " …" if len(stranger.known) > MOST_NAMED else ""
    otherwise = f"the game has {some}{more}" if some else f"the game has no {kind}"
    fix = notes.meant(stranger.name, stranger.known, otherwise)
    notes.error(code, span, f"the game has no {kind} `{stranger.name}`", fix)


def _check_tasks(notes: FindingCollector, written: Sequence[Written]) -> None:
    """Report tasks that no method answers, and methods that nothing asks for."""
    answered = {task_key(one.method.task) for one in written}
    asked = {task_key(task) for one in written for task in one.method.expansion}
    if None not in answered:
        message = "no method has the task nil, with which every plan begins"
        notes.error("PLN013", None, message, "add `(method start (task nil) …)`")
    for one in written:
        for task, span in zip(one.method.expansion, one.expansion_spans, strict=True):
            if task_key(task) not in answered:
                _unanswered(notes, task, span, answered)
                one.is_sound = False
        key = task_key(one.method.task)
        if key is not None and key not in asked:
            message = f"no method asks for the task {_key_text(key)}"
            fix = notes.meant(key[0], _names(asked), "name it in an `expand`, or remove the method")
            notes.warning("PLN011", one.task_span, message, fix)


def _unanswered(notes: FindingCollector, task: Pattern, span: Span, answered: set[TaskKey]) -> None:
    key = task_key(task)
    assert key is not None
    others = sorted(other[1] for other in answered if other is not None and other[0] == key[0])
    if others:
        fix = f"`{key[0]}` is answered with {' or '.join(map(str, others))} arguments"
    else:
        fix = notes.meant(key[0], _names(answered), f"add a method for `{format_term(task)}`")
    notes.error("PLN010", span, f"no method answers the task {_key_text(key)}", fix)


def _check_ends(notes: FindingCollector, written: Sequence[Written]) -> None:
    """Report methods whose tasks are split for ever, so that no plan through them ends."""
    answered = {task_key(one.method.task) for one in written}
    ending = _ending_tasks([one.method for one in written])
    for one in written:
        if {task_key(task) for task in one.method.expansion} - answered:
            continue
        is_idle = one.method.task is None and one.method.operator is None
        if not _ends(one.method, ending):
            message = f"the tasks of `{one.method.name}` fall apart for ever, and no move is made"
        elif is_idle and not one.method.expansion:
            message = f"`{one.method.name}` does nothing, and could do so again and again"
        else:
            continue
        fix = "let one of the methods of these tasks end in `(do …)`"
        notes.warning("PLN014", one.method.span, message, fix)


def _ending_tasks(methods: Sequence[Method]) -> set[TaskKey]:
    """The tasks that some methods bring to an end; each expansion is visited once."""
    waiting: dict[TaskKey, list[int]] = {}
    missing = [len(method.expansion) for method in methods]
    for number, method in enumerate(methods):
        for task in method.expansion:
            waiting.setdefault(task_key(task), []).append(number)
    ready = [task_key(method.task) for method in methods if not method.expansion]
    ending: set[TaskKey] = set()
    while ready:
        key = ready.pop()
        if key in ending:
            continue
        ending.add(key)
        for number in waiting.get(key, ()):
            missing[number] -= 1
            if not missing[number]:
                ready.append(task_key(methods[number].task))
    return ending


def _ends(method: Method, ending: set[TaskKey]) -> bool:
    return all(task_key(task) in ending for task in method.expansion)


def _names(keys: Iterable[TaskKey]) -> list[str]:
    return [key[0] for key in keys if key is not None]


def _key_text(key: tuple[str, int]) -> str:
    return f"`{key[0]}` with {key[1]} argument{'' if key[1] == 1 else 's'}"
