"""The relations that methods may ask for in any game, and how each is answered.

    (agent R)           R is a role, chance left out
    (control R)         the plan is R's
    (turn R)            R chooses next
    (can M)             M is a legal move of whoever chooses next
    (legal R M)         M is a legal move of R
    (true F)            the fluent F holds; a role need not know it
    (known F)           F holds in all states of the planner's information set
    (possible F)        F holds in some of them
    (likely F P)        the belief in F is at least P percent
    (likeliest F)       no other instance of the pattern F is believed more, of those not known
    (seen P)            the planner saw P in the last step
    facts               whatever a methods file states under `(facts …)`

All but `true`, `legal` of others and `can` of others are the same in all worlds, so the planner
may always ask for them. In F and M, `_` stands for anything: `(known (ship _ ?x ?y))` holds if
there is a ship of some kind, and in each world it may be another.

Methods files that come with Fogspiel fit a game that has all of their words: fluents, roles, moves
and percepts. So one is found whatever the game is called, and also serves games that are described
with the same words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from itertools import count

import numpy as np

from fogspiel.core.findings import errors_in
from fogspiel.core.source import Source
from fogspiel.core.terms import GroundTerm, MoveId, PerceptId, RoleId
from fogspiel.machine.memo import once_per_machine
from fogspiel.machine.protocol import Machine, State, States, player_roles
from fogspiel.plan.games.model import Options
from fogspiel.plan.language.method_terms import (
    ANY,
    ANYTHING,
    OPERATOR,
    GameVocabulary,
    head,
    names_of,
)
from fogspiel.plan.language.reading import read_network
from fogspiel.plan.task_network import Mask, Pattern, TaskNetwork, Weights, match, substitute

CLOSE = 1e-9  #: Beliefs that differ by less are the same but for rounding
SHAPES: Mapping[tuple[str, int], tuple[str, ...]] = {
    ("agent", 1): ("role",),
    ("control", 1): ("role",),
    ("turn", 1): ("role",),
    ("can", 1): (OPERATOR,),
    ("legal", 2): ("role", OPERATOR),
    ("true", 1): ("fluent",),
    ("known", 1): ("fluent",),
    ("possible", 1): ("fluent",),
    ("likely", 2): ("fluent", ANY),
    ("likeliest", 1): ("fluent",),
    ("seen", 1): ("percept",),
}
"""The kinds of arguments of each relation."""

Holding = Mapping[GroundTerm, Mask]
"""Terms that hold in some world, each with its worlds, (worlds,)."""
ByName = Mapping[str, Holding]  #: Terms that hold in some world, by the name that they start with
Key = tuple[tuple[str, GroundTerm], ...]  #: Bindings of variables, sorted by their names
Answers = dict[Key, Mask]
"""All bindings that answer a pattern, each with the worlds in which it does, (live,)."""


class SituationRelations:
    """Answers to what methods ask in one situation. Masks are (live,) over consistent worlds."""

    def __init__(
        self,
        options: Options,
        *,
        weights: Weights,
        mover: RoleId | None,
        seen: tuple[GroundTerm, ...],
    ) -> None:
        """weights: (live,) the belief, up to a factor. mover: who chooses next."""
        self._options = options
        self._belief = weights / weights.sum()
        self._mover, self._seen = mover, seen
        self._everywhere = np.ones(len(weights), np.bool_)
        self._kept: dict[Pattern, Answers] = {}
        self._fluents: ByName | None = None

    def answers(self, atom: Pattern) -> Answers:
        """All answers to an atom, in an order that depends on the game alone."""
        found = self._kept.get(atom)
        if found is None:
            found = self._kept[atom] = self._found(atom)
            for key, mask in found.items():
                # Methods ask again for what they were just given, with the variables filled in.
                self._kept.setdefault(substitute(atom, dict(key)), {(): mask})
        return found

    def _found(self, atom: Pattern) -> Answers:
        match atom:
            case ("known" | "possible" | "likely" | "likeliest" as relation, fluent, *percent):
                return self._believed(relation, fluent, percent)
            case ("can", move) if self._mover is not None:
                return _matched(move, self._moves(self._mover))
            case ("legal", who, move):
                return _matched(("", who, move), self._legal())
            case ("true", fluent):
                return _matched(fluent, self._holding(fluent))
            case (_, argument) if (known := self._known_terms(head(atom)[0])) is not None:
                return _matched(argument, dict.fromkeys(known, self._everywhere))
        facts = self._options.model.facts_by_name.get(head(atom)[0], ())
        return _matched(atom, dict.fromkeys(facts, self._everywhere))

    def _known_terms(self, relation: str) -> Sequence[GroundTerm] | None:
        """The terms for which a relation of one argument holds; None if it is not built in."""
        model = self._options.model
        names = model.machine.roles
        match relation:
            case "agent":
                return model.roles
            case "control":
                return [names[model.role]]
            case "turn":
                return [] if self._mover is None else [names[self._mover]]
            case "seen":
                return self._seen
        return None

    def _moves(self, role: RoleId) -> Holding:
        machine, legal = self._options.model.machine, self._options.legal[role]
        some = np.flatnonzero(legal.any(axis=0)).tolist()
        return {machine.move_term(role, MoveId(move)): legal[:, move] for move in some}

    def _legal(self) -> Holding:
        """Roles and their moves, as terms of the two."""
        machine = self._options.model.machine
        return {
            ("", machine.roles[role], term): mask
            for role in map(RoleId, range(len(machine.roles)))
            if role != machine.chance_role
            for term, mask in self._moves(role).items()
        }

    def _holding(self, fluent: Pattern) -> Holding:
        """The fluents that a pattern may stand for."""
        if self._fluents is None:
            self._fluents = fluents_in(self._options.model.machine, self._options.states)
        name, _ = head(fluent)
        if name.startswith("?") or name == ANYTHING:
            return {term: mask for group in self._fluents.values() for term, mask in group.items()}
        return self._fluents.get(name, {})

    def _believed(self, relation: str, fluent: Pattern, percent: list[GroundTerm]) -> Answers:
        """Answers by the probability of a fluent; they are the same in all worlds."""
        beliefs = {
            key: float(self._belief[mask].sum())
            for key, mask in self.answers(("true", fluent)).items()
        }
        least, most = CLOSE, 1.0
        if relation == "known":
            least = 1.0 - CLOSE
        elif relation == "likely":
            least = max(CLOSE, _number(percent[0]) / 100.0 - CLOSE)
        elif relation == "likeliest":
            most = 1.0 - CLOSE
            open_ = [belief for belief in beliefs.values() if belief < most]
            least = max(CLOSE, max(open_, default=1.0) - CLOSE)
        return {
            key: self._everywhere
            for key, belief in beliefs.items()
            if least <= belief and (belief < most or relation != "likeliest")
        }


def _matched(pattern: Pattern, holding: Holding) -> Answers:
    """The terms that a pattern matches; where `_` stands in it, any of several will do."""
    named = _with_names(pattern, count())
    found: Answers = {}
    for term, mask in holding.items():
        bindings = match(named, term, {})
        if bindings is not None:
            pairs = sorted(bindings.items(), key=lambda pair: pair[0])
            key = tuple(pair for pair in pairs if not pair[0].startswith("? "))
            found[key] = found[key] | mask if key in found else mask
    return found


def _with_names(pattern: Pattern, numbers: Iterator[int]) -> Pattern:
    """The pattern with a variable of its own, which nobody can write, for each `_`."""
    if isinstance(pattern, str):
        return f"? {next(numbers)}" if pattern == ANYTHING else pattern
    return tuple(_with_names(part, numbers) for part in pattern)


def _number(term: GroundTerm) -> float:
    """A percentage; anything else is never reached."""
    try:
        return float(str(term))
    except ValueError:
        return float("inf")


def fluents_in(machine: Machine, states: States) -> ByName:
    """The fluents that hold in some of the states, in the order of their ids."""
    states = machine.fluent_rows(states)
    union: State = np.bitwise_or.reduce(states, axis=0)
    always = machine.fluent_terms(np.zeros_like(union))
    terms = machine.fluent_terms(union)
    places = np.flatnonzero(np.unpackbits(union.view(np.uint8), bitorder="little"))
    if len(terms) == len(places) + len(always) and terms[len(places) :] == always:
        flat = np.ascontiguousarray(states).view(np.uint8)
        bits = np.unpackbits(flat, axis=1, bitorder="little")[:, places].astype(np.bool_)
        holding = {term: bits[:, place] for place, term in enumerate(terms[: len(places)])}
        everywhere = np.ones(len(states), np.bool_)
        return _by_name(holding | dict.fromkeys(always, everywhere))
    # Where numbers are kept as digits, a term may stand for several bits, or for their absence.
    slow: dict[GroundTerm, Mask] = {}
    for row, state in enumerate(states):
        for term in machine.fluent_terms(state):
            slow.setdefault(term, np.zeros(len(states), np.bool_))[row] = True
    return _by_name(slow)


def _by_name(holding: Holding) -> ByName:
    found: dict[str, dict[GroundTerm, Mask]] = {}
    for term, mask in holding.items():
        found.setdefault(head(term)[0], {})[term] = mask
    return found


SUFFIX = ".methods"


@cache
def shipped_sources() -> tuple[Source, ...]:
    """The methods files, in the order of their names."""
    folder = resources.files("fogspiel.plan.games") / "methods"
    files = sorted((entry for entry in folder.iterdir()), key=lambda entry: entry.name)
    return tuple(
        Source(entry.name, entry.read_text("utf-8"))
        for entry in files
        if entry.name.endswith(SUFFIX)
    )


@once_per_machine
def shipped_network(machine: Machine) -> TaskNetwork | None:
    """The network of the first file that fits a game; None if none does.

    A machine that does not know its words beforehand cannot be fitted.
    """
    if all_fluents(machine) is None:
        return None
    vocabulary = game_vocabulary(machine)
    for source in shipped_sources():
        network, findings = read_network(source, vocabulary=vocabulary)
        if not errors_in(findings):
            return network
    return None


def game_vocabulary(machine: Machine) -> GameVocabulary:
    """The words that a methods file may use in a game, whichever role it is for."""
    roles = player_roles(machine)
    kinds = {"role": names_of([machine.roles[role] for role in roles])}
    fluents = all_fluents(machine)
    if fluents is not None:
        # A machine that knows all of its fluents knows all of its moves and percepts.
        kinds["fluent"] = names_of(fluents)
        kinds[OPERATOR] = names_of(
            machine.move_term(role, MoveId(move))
            for role in roles
            for move in range(machine.move_count(role))
        )
        kinds["percept"] = names_of(
            machine.percept_term(role, PerceptId(percept))
            for role in roles
            for percept in range(machine.percept_count(role))
        )
    return GameVocabulary(relations=SHAPES, kinds=kinds)


@once_per_machine
def all_fluents(machine: Machine) -> tuple[GroundTerm, ...] | None:
    """Every fluent of a game; None where the machine meets them as it goes."""
    circuit = machine.circuit()
    if circuit is None:
        return None
    bits = np.zeros(64 * len(machine.initial()), np.uint8)
    bits[: circuit.fluents] = 1
    return machine.fluent_terms(np.packbits(bits, bitorder="little").view(np.uint64))
