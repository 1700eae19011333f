"""Checks of what is declared: twice, under unknown types, in a circle; and of what a game needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from fogspiel.core.findings import FindingCollector
from fogspiel.rules.pogddl import syntax
from fogspiel.rules.pogddl.syntax import ALL, ANY_TYPE, MOVER, OTHERS
from fogspiel.rules.pogddl.world import UNKNOWN, World

REQUIREMENTS = frozenset({
    ":strips", ":typing", ":equality", ":negative-preconditions", ":disjunctive-preconditions",
    ":existential-preconditions", ":universal-preconditions", ":quantified-preconditions",
    ":conditional-effects", ":fluents", ":numeric-fluents", ":adl", ":derived-predicates",
    ":pogddl", ":pogdl", ":gddl",
})  # fmt: skip
"""What Fogspiel reads. All of it is always on, whatever a domain requires."""


def check_domain(world: World, domain: syntax.Domain, notes: FindingCollector) -> None:
    """Everything about the declarations of a domain."""
    check_requirements(domain.requirements, notes)
    _check_types(world, domain, notes)
    check_objects(world, domain.constants, (), notes)
    _check_skeletons(world, domain, notes)
    actions = (action.name for action in domain.actions)
    _check_twice(actions, "the action", notes)
    _check_mover(world, domain, notes)
    if not domain.gains and not (world.problem and world.problem.gains):
        fix = "say what roles get: (:gain ?r - role 1 (condition))"
        message = "no `:gain` is given: every role gets 0"
        notes.warning("POG048", domain.name.span, message, fix)


def check_problem(world: World, problem: syntax.Problem, notes: FindingCollector) -> None:
    """Everything about the declarations of a problem."""
    check_requirements(problem.requirements, notes)
    if world.domain is None:
        return
    check_objects(world, problem.objects, world.domain.constants, notes)
    wanted = world.domain.name
    if problem.domain is None:
        fix = f"write (:domain {wanted.text})"
        notes.warning("POG045", problem.name.span, "the problem names no domain", fix)
    elif problem.domain.text.lower() != wanted.text.lower():
        notes.error(
            "POG045",
            problem.domain.span,
            f"this problem belongs to the domain `{problem.domain.text}`, not to `{wanted.text}`",
            "give the domain that it belongs to, or change the name",
        )


def check_requirements(requirements: Iterable[syntax.Name], notes: FindingCollector) -> None:
    """Requirements that Fogspiel does not know."""
    for name in requirements:
        if name.text.lower() not in REQUIREMENTS:
            fix = notes.meant(name.text, REQUIREMENTS, "remove it, and what needs it")
            message = f"the requirement `{name.text}` is unknown"
            notes.warning("POG010", name.span, message, fix)


def check_objects(
    world: World,
    objects: Sequence[syntax.Typed],
    constants: Sequence[syntax.Typed],
    notes: FindingCollector,
) -> None:
    """Objects of unknown types, and objects that are declared twice."""
    earlier = {item.term.text for item in constants if isinstance(item.term, syntax.Name)}
    _check_twice(_names(objects), "the object", notes, earlier)
    _check_types_of(world, objects, notes)
    for name in _names(objects):
        # Of an object whose type is unknown, nobody can say that it is a role.
        is_role = name.text in world.roles and world.object_mask(name.text) != UNKNOWN
        if name.text in {ALL, OTHERS} and is_role:
            message = f"a role is called `{name.text}`, which names several roles in observations"
            notes.error("POG051", name.span, message, "give the role another name")


def _check_types_of(world: World, typed: Sequence[syntax.Typed], notes: FindingCollector) -> None:
    """Types that are used and were never declared; one that several names share is said once."""
    for name in {name.span: name for item in typed for name in item.types}.values():
        if name.text not in world.types and name.text != ANY_TYPE:
            known = [*world.types, ANY_TYPE]
            fix = notes.meant(name.text, known, f"add `{name.text}` to `:types`")
            notes.error("POG020", name.span, f"the type `{name.text}` is not declared", fix)


def check_variables(
    world: World, variables: Sequence[syntax.Typed], notes: FindingCollector
) -> None:
    """A list of typed variables: unknown types, and one variable twice."""
    names = (
        syntax.Name(f"?{item.term.name}", span=item.span)
        for item in variables
        if isinstance(item.term, syntax.Variable)
    )
    _check_twice(names, "the variable", notes)
    _check_types_of(world, variables, notes)


def _names(typed: Iterable[syntax.Typed]) -> Iterator[syntax.Name]:
    return (item.term for item in typed if isinstance(item.term, syntax.Name))


def _check_twice(
    names: Iterable[syntax.Name], what: str, notes: FindingCollector, earlier: Iterable[str] = ()
) -> None:
    seen = set(earlier)
    for name in names:
        if name.text in seen:
            fix = "remove one of them, or give it another name"
            notes.error("POG026", name.span, f"{what} `{name.text}` is declared twice", fix)
        seen.add(name.text)


def _check_types(world: World, domain: syntax.Domain, notes: FindingCollector) -> None:
    if world.has_too_many_types:
        fix = "tell objects apart by predicates instead"
        message = f"{len(world.types):,} types are too many: they were not compared"
        notes.error("POG014", domain.name.span, message, fix)
        return
    # A type may be declared again to put it below another one, but not twice below the same.
    declared = (
        syntax.Name(f"{name.text} - {above.text}" if above else name.text, span=name.span)
        for item in domain.types
        for name in _names([item])
        for above in (item.types or (None,))
    )
    _check_twice(declared, "the type", notes)
    names = {name.text for name in _names(domain.types)}
    for item in domain.types:
        for above in item.types:
            if above.text not in names and above.text != ANY_TYPE:
                fix = notes.meant(above.text, names, f"add `{above.text}` to `:types`")
                message = f"the type `{above.text}` is declared only by being named here"
                notes.warning("POG020", above.span, message, fix)
    _check_circles(world, domain, notes)


def _check_circles(world: World, domain: syntax.Domain, notes: FindingCollector) -> None:
    """Types that are subtypes of themselves: what stands above has all bits of what is below."""
    reported: set[int] = set()
    for item in domain.types:
        for name in _names([item]):
            mask = world.masks[name.text]
            above = [parent for parent in world.types[name.text] if parent in world.masks]
            if mask not in reported and any(world.masks[parent] == mask for parent in above):
                reported.add(mask)
                message = f"the type `{name.text}` is a subtype of itself"
                notes.error("POG021", name.span, message, "remove one of the steps of the circle")


def _check_skeletons(world: World, domain: syntax.Domain, notes: FindingCollector) -> None:
    _check_twice((item.name for item in domain.predicates), "the predicate", notes)
    functions = [item.name for item in domain.functions]
    _check_twice(functions, "the name", notes, world.predicates)
    for declaration in (*domain.predicates, *domain.functions):
        check_variables(world, declaration.parameters, notes)
    # Several functions may share their bounds, and so the mistake.
    for bounds in {f.bounds.span: f.bounds for f in domain.functions if f.bounds}.values():
        if bounds.low > bounds.high:
            fix = f"write (number {bounds.high} {bounds.low})"
            message = f"no number is from {bounds.low} to {bounds.high}"
            notes.error("POG047", bounds.span, message, fix)


def _check_mover(world: World, domain: syntax.Domain, notes: FindingCollector) -> None:
    mover = world.predicates.get(MOVER)
    if mover is None:
        close = notes.close_name(MOVER, world.predicates)
        fix = "declare (whoseturn ?r - role), and let actions ask for it and change it"
        fix = f"did you mean `{close}` to be `{MOVER}`?" if close else fix
        message = f"no predicate `{MOVER}` says which role is to move"
        span = world.predicates[close].name.span if close else domain.name.span
        notes.error("POG040", span, message, fix)
    elif [world.mask(item.types) for item in mover.parameters] == [UNKNOWN]:
        pass  # its type is reported where it stands
    elif world.role_mask is None:
        fix = "declare a type of roles, and write (whoseturn ?r - role)"
        message = f"`{MOVER}` must take one argument, of the type of roles"
        notes.error("POG041", mover.span, message, fix)
    elif world.problem is not None and not world.roles:
        fix = "declare the roles, e.g. (:constants chance alice bob - role)"
        notes.error("POG041", mover.span, f"no object has the type that `{MOVER}` takes", fix)
