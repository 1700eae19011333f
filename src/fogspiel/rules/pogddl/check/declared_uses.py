"""Uses and declarations that do not fit: names without a declaration, and numbers of arguments.

A fault in a declaration would show at every use. Where the uses agree with each other, the finding
is about the declaration, and there is only one.
"""

from __future__ import annotations

from fogspiel.core.findings import FindingCollector
from fogspiel.core.source import Span
from fogspiel.rules.pogddl.check.uses import DeclaredUses, UsageRecord
from fogspiel.rules.pogddl.syntax import MOVER
from fogspiel.rules.pogddl.world import World

CODES = {"predicate": "POG022", "function": "POG023"}


def check_declared(world: World, notes: FindingCollector, record: UsageRecord) -> None:
    """Report what is used without a declaration, or otherwise than it was declared.

    notes: those of the domain, in which declarations stand.
    """
    for (kind, name), (where, span) in record.undeclared.items():
        if (kind, name) != ("predicate", MOVER):  # POG040 is about that one.
            _undeclared(world, notes, record, kind, name, where, span)
    for (kind, name), uses in record.counts.items():
        _check_counts(notes, kind, name, uses)


def _undeclared(
    world: World,
    notes: FindingCollector,
    record: UsageRecord,
    kind: str,
    name: str,
    where: FindingCollector,
    span: Span,
) -> None:
    code = CODES[kind]
    known = world.predicates if kind == "predicate" else world.functions
    close = where.close_name(name, known)
    if close is not None and (kind, close) not in record.counts:
        line = where.source.position(span.start).line
        message = f"the {kind} `{close}` is never used, and `{name}` of line {line} not declared"
        notes.error(code, known[close].name.span, message, f"did you mean `{name}`?")
    elif kind == "predicate" and name in world.functions:
        fix = f"compare its value, e.g. (> ({name} …) 0)"
        where.error(code, span, f"`{name}` is a function, not a predicate", fix)
    else:
        fix = f"did you mean `{close}`?" if close else f"declare it in `:{kind}s`"
        where.error(code, span, f"the {kind} `{name}` is not declared", fix)


def _check_counts(notes: FindingCollector, kind: str, name: str, uses: DeclaredUses) -> None:
    """Numbers of arguments: one finding for all uses, if they agree, else one for each."""
    wanted = len(uses.declaration.parameters)
    found = {len(use.arguments) for _, use in uses.wrong}
    if len(uses.wrong) > 1 and len(found) == 1 and not uses.right:
        notes.error(
            "POG027",
            uses.declaration.span,
            f"the {kind} `{name}` is declared with {counted(wanted)}, but used with "
            f"{found.pop()} everywhere",
            "declare it with as many as its uses have",
        )
        return
    for where, use in uses.wrong:
        message = f"the {kind} `{name}` takes {counted(wanted)}, not {len(use.arguments)}"
        where.error("POG027", use.span, message, "give it as many as it was declared with")


def counted(number: int) -> str:
    """`1 argument`, `2 arguments`."""
    return f"{number} argument{'s' * (number != 1)}"
