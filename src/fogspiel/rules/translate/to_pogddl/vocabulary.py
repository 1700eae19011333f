"""Names of everything in POGDDL: predicates, types and objects, made of names of the rules."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fogspiel.core.terms import GroundTerm
from fogspiel.rules.clauses import Program
from fogspiel.rules.pogddl.syntax import MOVER, Name, Typed
from fogspiel.rules.pogddl.write import RESERVED
from fogspiel.rules.translate.to_pogddl.flat import (
    PLACES,
    FlatClause,
    FlatKey,
    FlatLiteral,
    FlatProgram,
)
from fogspiel.rules.translate.to_pogddl.sorts import ROLE_KEY, ROLES, Place, SortPartition, sorts_of
from fogspiel.rules.translate.to_pogddl.term_shapes import LEAF, Shape

CHANCE = "chance"
ROLE, PLAYER = "role", "player"
RESOLVE = "resolve"
GENERIC_NAMES = {"true": "holds", "does": "plays", "sees": "sees"}
"""Predicates of plain fluents, moves and percepts that are objects."""
PREFIXES = {"next": "next", "legal": "legal", "does": "does", "sees": "sees"}
KEYWORDS = frozenset({"role", "init", "true", "next", "legal", "does", "sees", "goal", "terminal"})
SPECIAL_TYPES = {
    FlatKey("goal", (LEAF, LEAF)): "points",
    FlatKey("does", (LEAF, LEAF)): "move",
}
"""What stands behind a role."""
SHORTEST_WORD = 3  #: Shorter names of variables say nothing about what they stand for
WORDS = {"+": "plus", "-": "minus", "*": "times", "/": "slash", "<": "less", ">": "more"}
"""What single signs are called; other signs inside names become `_`."""
NEVER = RESERVED | {"all", "others", "object", "number", "_", "assign", "define"}


@dataclass(frozen=True, slots=True)
class PogddlVocabulary:
    """Names for all that the flat clauses speak of."""

    predicates: dict[FlatKey, str]
    actions: dict[FlatKey, str]  #: The action that makes a move, by the predicate of `does`
    percepts: dict[FlatKey, str]  #: The observation that a role is told, by the predicate of `sees`
    types: dict[Place, str]  #: The type of every sort
    supertypes: tuple[Typed, ...]  #: All types as they are declared
    objects: dict[Place, dict[str, str]]  #: The objects of every sort, by the names of the rules
    role_type: str  #: The type of the roles of the rules; chance may be one more
    roles: dict[str, str]
    trivial: frozenset[FlatKey]
    """Relations that hold for all objects of a type: their conditions are left out."""
    facts: dict[FlatKey, list[tuple[str, ...]]]  #: Relations that are given by facts alone
    sorts: SortPartition

    def object(self, key: FlatKey, index: int, name: str) -> str:
        """The object that a name stands for as an argument of a predicate."""
        return self.objects[self.sorts.of(key, index)][name]

    def type_of(self, key: FlatKey, index: int) -> tuple[Name, ...]:
        """The type of an argument of a predicate."""
        return self.typed(self.sorts.of(key, index))

    def typed(self, sort: Place) -> tuple[Name, ...]:
        """The type of a sort; a sort without names has none."""
        return (Name(self.types[sort]),) if sort in self.types else ()


def vocabulary_of(flat: FlatProgram, program: Program) -> PogddlVocabulary:
    """Choose the names for everything in the clauses."""
    sorts = sorts_of(flat.clauses, program.roles)
    facts = _facts(flat.clauses)
    facts[ROLE_KEY] = [(role,) for role in program.roles]
    are_roles = set(sorts.names[sorts.of(*ROLES)]) == set(program.roles)
    trivial = _trivial(facts, sorts) | ({ROLE_KEY} if are_roles else set())
    types, supertypes = _types(flat.clauses, sorts, trivial, program, are_roles=are_roles)
    objects = _objects(sorts, types, program)
    predicates, actions, percepts = _predicate_names(flat.clauses)
    return PogddlVocabulary(
        predicates=predicates,
        actions=actions,
        percepts=percepts,
        types=types,
        supertypes=supertypes,
        objects=objects,
        role_type=ROLE if program.chance_role else PLAYER,
        roles={role: objects[sorts.of(*ROLES)][role] for role in program.roles},
        trivial=frozenset(trivial),
        facts=facts,
        sorts=sorts,
    )


def _facts(clauses: Sequence[FlatClause]) -> dict[FlatKey, list[tuple[str, ...]]]:
    """The facts of every relation that has nothing but facts."""
    derived = {clause.head.key for clause in clauses if clause.body}
    found: dict[FlatKey, list[tuple[str, ...]]] = defaultdict(list)
    for clause in clauses:
        key = clause.head.key
        if key not in derived and key.relation not in KEYWORDS:
            found[key].append(_plain(clause.head))
    return dict(found)


def _plain(literal: FlatLiteral) -> tuple[str, ...]:
    names = tuple(name for name in literal.arguments if isinstance(name, str))
    assert len(names) == len(literal.arguments), "a fact holds no variables"
    return names


def _trivial(facts: dict[FlatKey, list[tuple[str, ...]]], sorts: SortPartition) -> set[FlatKey]:
    """The relations of one argument that hold for everything that can stand there."""
    return {
        key
        for key, rows in facts.items()
        if key.shapes == (LEAF,)
        and {row[0] for row in rows} == set(sorts.names[sorts.of(key, 0)])
        and sorts.of(key, 0) != sorts.of(*ROLES)
    }


def _types(
    clauses: Sequence[FlatClause],
    sorts: SortPartition,
    trivial: set[FlatKey],
    program: Program,
    *,
    are_roles: bool,
) -> tuple[dict[Place, str], tuple[Typed, ...]]:
    """A name for the type of each sort, and the declarations of types."""
    names = UniqueNames(ROLE, PLAYER)
    words = _words(clauses, sorts)
    of_roles = sorts.of(*ROLES)
    special = {sorts.of(key, 1): name for key, name in SPECIAL_TYPES.items()}
    types: dict[Place, str] = {}
    for sort, members in sorts.names.items():
        covering = sorted(k.relation for k in trivial if sorts.of(k, 0) == sort)
        if sort == of_roles and are_roles:
            types[sort] = ROLE if program.chance_role else PLAYER
        elif covering:
            types[sort] = names.fresh(covering[0])
        elif sort in special:
            types[sort] = names.fresh(special[sort])
        elif words[sort]:
            types[sort] = names.fresh(min(words[sort], key=lambda w: (-words[sort][w], w)))
        elif all(member.isdigit() for member in members):
            types[sort] = names.fresh("numeral")
        else:
            types[sort] = names.fresh("thing")
    above = [] if are_roles else [types[of_roles]]
    declared = [Typed(Name(t)) for s, t in types.items() if not (are_roles and s == of_roles)]
    if program.chance_role:
        own = [Typed(Name(ROLE), tuple(map(Name, above)))]
    else:
        own = [Typed(Name(ROLE)), *(Typed(Name(PLAYER), (Name(t),)) for t in [ROLE, *above])]
    return types, (*declared, *own) if above else (*own, *declared)


def _words(clauses: Sequence[FlatClause], sorts: SortPartition) -> dict[Place, Counter[str]]:
    """What variables of each sort are called, if it is a word; else what holds of one thing."""
    words: dict[Place, Counter[str]] = defaultdict(Counter)
    weak: dict[Place, Counter[str]] = defaultdict(Counter)
    for number, clause in enumerate(clauses):
        for variable, sort in sorts.variables[number].items():
            word = spelled(variable.name).rstrip("0123456789_-").lower()
            if len(word) >= SHORTEST_WORD:
                words[sort][word] += 1
        for literal in (clause.head, *clause.body):
            if isinstance(literal, FlatLiteral) and len(literal.arguments) == 1:
                word = _functor(literal.key, qualified=False) or literal.key.relation
                weak[sorts.of(literal.key, 0)][word] += 1
    return defaultdict(Counter, {sort: words[sort] or weak[sort] for sort in {*words, *weak}})


def _objects(
    sorts: SortPartition, types: dict[Place, str], program: Program
) -> dict[Place, dict[str, str]]:
    """An object for every name of every sort. Roles keep their names first."""
    names = UniqueNames(CHANCE)
    of_roles = sorts.of(*ROLES)
    objects: dict[Place, dict[str, str]] = {of_roles: {}}
    for role in program.roles:
        is_chance = role == program.chance_role
        objects[of_roles][role] = CHANCE if is_chance else names.fresh(role)
    used: set[str] = set(program.roles)
    for sort, members in sorts.names.items():
        own = objects.setdefault(sort, {})
        for member in members:
            if member in own:
                continue
            # The same name in another sort is another object, and is called after its type.
            wanted = f"{types[sort]}-{member}" if member in used else member
            own[member] = names.fresh(wanted)
            used.add(member)
    return objects


def _predicate_names(
    clauses: Sequence[FlatClause],
) -> tuple[dict[FlatKey, str], dict[FlatKey, str], dict[FlatKey, str]]:
    """Names of predicates, of actions by `does`, and of percepts by `sees`."""
    keys = dict.fromkeys(key for clause in clauses for key in _keys(clause))
    variants = Counter(map(_family, keys))
    predicates, actions, percepts = (
        UniqueNames(MOVER, "turn-after", "resolving"),
        UniqueNames(RESOLVE),
        UniqueNames(),
    )
    found: tuple[dict[FlatKey, str], ...] = ({}, {}, {})
    # Plain relations and fluents get the plain names; what is said of them is named after them.
    for key in sorted(keys, key=lambda key: key.relation in PREFIXES):
        place = PLACES.get((key.relation, len(key.shapes)))
        if place is None:
            several = variants[_family(key)] > 1
            found[0][key] = predicates.fresh(_relation_name(key, qualified=several))
            continue
        if key.relation == "init":
            continue
        thing = _functor(key, qualified=variants[_family(key)] > 1)
        if key.relation == "does":
            found[1][key] = actions.fresh(thing or "play")
        elif key.relation == "sees":
            found[2][key] = percepts.fresh(thing or "seen")
        prefix = PREFIXES.get(key.relation)
        if thing is None:
            wanted = GENERIC_NAMES.get(key.relation, prefix or key.relation)
        else:
            wanted = f"{prefix}-{spelled(thing)}" if prefix else thing
        found[0][key] = predicates.fresh(wanted)
    return found[0], found[1], found[2]


def _keys(clause: FlatClause) -> Iterator[FlatKey]:
    for literal in (clause.head, *clause.body):
        if isinstance(literal, FlatLiteral):
            yield literal.key
            if literal.key.relation in {"init", "next"}:
                yield FlatKey("true", literal.key.shapes)
            elif literal.key.relation == "legal":
                yield FlatKey("does", literal.key.shapes)


def _relation_name(key: FlatKey, *, qualified: bool) -> str:
    parts = [spelled(key.relation)]
    if qualified:
        parts += [name for shape in key.shapes for name in _functors(shape)]
    return "-".join(parts)


def _family(key: FlatKey) -> tuple[str | None, ...]:
    """What predicates that differ in nested terms alone have in common."""
    return key.relation, str(len(key.shapes)), _functor(key, qualified=False)


def _functor(key: FlatKey, *, qualified: bool) -> str | None:
    """What a fluent, move or percept is called; if need be, with the nested terms that it holds."""
    if (key.relation, len(key.shapes)) not in PLACES or isinstance(key.shapes[-1], str):
        return None
    names = list(_functors(key.shapes[-1]))
    return "-".join(names) if qualified else names[0]


def _functors(shape: Shape) -> Iterator[str]:
    if not isinstance(shape, str):
        first: GroundTerm = shape[0]
        assert isinstance(first, str)
        yield spelled(first)
        for part in shape[1:]:
            yield from _functors(part)


def spelled(name: str) -> str:
    """A name as PDDL has them: it starts with a letter; numerals become n5, or m5 for -5."""
    if re.fullmatch(r"[0-9][\w.-]*", name, re.ASCII):
        return f"n{name}"
    if re.fullmatch(r"[+-][0-9]+", name):
        return ("m" if name[0] == "-" else "p") + name[1:]
    if name in WORDS:
        return WORDS[name]
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", name)
    return plain if plain[:1].isalpha() else f"x{plain}"


class UniqueNames:
    """The names of one kind: of predicates, objects, types or actions.

    Planners read capital and small letters alike, so names that differ in them alone count as one.
    """

    def __init__(self, *taken: str) -> None:
        self._taken = {name.lower() for name in (*NEVER, *taken)}

    def fresh(self, wanted: str) -> str:
        """The name as wanted, or with a number behind it."""
        name, number = spelled(wanted), 1
        plain = name
        while name.lower() in self._taken:
            number += 1
            name = f"{plain}-{number}"
        self._taken.add(name.lower())
        return name
