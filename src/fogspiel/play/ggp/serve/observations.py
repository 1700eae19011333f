"""Observations from the messages of a manager: what a role did and saw, step by step.

In a game without `sees` all roles see the joint move, and managers tell it: the state is known. In
one with `sees` they tell what the role saw, and in the newer dialect also which of its moves
counted; in the older one it must be the one that was answered. A manager that takes us for a player
of GDL-I tells the joint move there too; the player is then given what its role sees of it.

Managers may send names in another case than the rules have. Inside, names are compared exactly:
what is heard is brought into the spelling of the rules where only one fits, and what is told is in
that spelling. The role of chance is in lower case inside, and may be `RANDOM` in the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from fogspiel.core.findings import PlayError
from fogspiel.core.terms import GroundTerm, MoveId, Observation, PerceptId, RoleId, format_term
from fogspiel.machine.protocol import Machine, MeetsPercepts, State
from fogspiel.play.ggp.messages import Told
from fogspiel.play.ggp.term_text import by_lower_case, shown
from fogspiel.rules.gdl.syntax import CHANCE_ROLE
from fogspiel.rules.sexpr import TOKEN

MADE = "does"


@dataclass(frozen=True, slots=True, kw_only=True)
class Playable:
    """A game that was loaded from the text of its rules."""

    machine: Machine
    has_percepts: bool  #: Whether the rules say what roles see; otherwise all see the joint move


LoadEngine: TypeAlias = Literal["auto", "reference"]
Load: TypeAlias = Callable[[str, LoadEngine], Playable]
"""Makes a game of rules that a stranger sent. Raises `FogspielError`."""


class LetterCase:
    """The spelling of names in some rules."""

    def __init__(self, rules: str) -> None:
        self._names = {token for token in TOKEN.findall(rules) if token[0] not in "();?|"}
        self._by_lower_case = by_lower_case({name: name for name in self._names})
        self._chance = self._by_lower_case.get(CHANCE_ROLE, CHANCE_ROLE)
        """The name of the role of chance in the rules."""
        self.rules = TOKEN.sub(
            lambda match: CHANCE_ROLE if match.group() == self._chance else match.group(), rules
        )
        """The rules to be loaded."""

    def heard(self, term: GroundTerm) -> GroundTerm:
        """A term of a message, as it is known inside."""
        if not isinstance(term, str):
            return tuple(self.heard(part) for part in term)
        name = term if term in self._names else self._by_lower_case.get(term.lower(), term)
        return CHANCE_ROLE if name == self._chance else name

    def told(self, term: GroundTerm) -> GroundTerm:
        """A term of the machine, as the rules write it."""
        if not isinstance(term, str):
            return tuple(self.told(part) for part in term)
        return self._chance if term == CHANCE_ROLE else term


class ObservationDecoder:
    """Follows a match from what a role is told of it."""

    def __init__(self, game: Playable, role: str, letter_case: LetterCase) -> None:
        """Raises `PlayError` GGP004 for a role that the rules do not have."""
        self._machine, self._has_percepts = game.machine, game.has_percepts
        self._letter_case, roles = letter_case, list(game.machine.roles)
        name = letter_case.heard(role)
        if name not in roles or roles.index(name) == game.machine.chance_role:
            raise PlayError.of(
                "GGP004",
                f"the rules have no role {shown(role)} to play",
                fix=f"use one of {', '.join(roles)}, but not chance",
            )
        self.role = RoleId(roles.index(name))
        self.steps = 0
        self._true: State | None = self._machine.initial()
        """The true state, as long as all joint moves are told."""
        self._tells_joint = not game.has_percepts
        self._percepts: Mapping[GroundTerm, PerceptId] | None = None

    @property
    def state(self) -> State | None:
        """The true state; None where it is hidden."""
        return self._true if self._tells_joint else None

    def follow(self, told: Told, answered: GroundTerm | None) -> Observation | None:
        """The observation of the step that a message tells of; None if it tells of none.

        answered: what we said when we were asked last.
        Raises `PlayError` GGP005 for what does not fit the rules or the steps so far.
        """
        if self._tells_nothing(told, answered):
            return None
        if told.turn is not None and told.turn != self.steps + 1:
            raise _astray(f"turn {told.turn} is told of after {self.steps} steps")
        terms = [self._letter_case.heard(term) for term in told.terms or ()]
        if self._has_percepts:
            self._tells_joint = told.turn is None and self._can_only_be_joint(terms)
        seen = self._joint(terms) if self._tells_joint else self._seen(told, terms, answered)
        self.steps += 1
        return seen

    def move_text(self, move: MoveId) -> GroundTerm:
        """A move of the role, in the spelling of the rules."""
        return self._letter_case.told(self._machine.move_term(self.role, move))

    def _tells_nothing(self, told: Told, answered: GroundTerm | None) -> bool:
        """The first PLAY tells of no step, and a repeated one of none that is new."""
        if told.turn is not None:
            return told.turn == self.steps
        # Once we have answered, NIL in the older dialect of GDL-II means that nothing was seen.
        return not told.terms and (answered is None or not self._has_percepts)

    def _can_only_be_joint(self, terms: Sequence[GroundTerm]) -> bool:
        """Whether a manager takes us for a player of GDL-I, and tells all where much is hidden.

        Where terms can be percepts they are; and a machine that meets percepts as it goes does not
        know what can be one.
        """
        machine = self._machine
        if self._true is None or len(terms) != len(machine.roles):
            return False
        if isinstance(machine, MeetsPercepts) or all(
            self._known_percept(term) is not None for term in terms
        ):
            return False
        return all(_knows_move(machine, RoleId(r), term) for r, term in enumerate(terms))

    def _joint(self, terms: Sequence[GroundTerm]) -> Observation:
        assert self._true is not None
        machine, roles = self._machine, self._machine.roles
        if len(terms) != len(roles):
            raise _astray(f"a joint move has {len(roles)} moves; {len(terms)} were told")
        if all(isinstance(term, tuple) and len(term) == 3 and term[0] == MADE for term in terms):
            # The newer dialect of GDL-II says it with percepts.
            made = {term[1]: term[2] for term in terms}
            terms = [made.get(role, "") for role in roles]
        joint = [self._move(RoleId(role), term) for role, term in enumerate(terms)]
        percepts = tuple(machine.percepts(self._true, joint, self.role))
        self._true = machine.step(self._true, joint)
        return Observation(joint[self.role], percepts)

    def _seen(
        self, told: Told, terms: Sequence[GroundTerm], answered: GroundTerm | None
    ) -> Observation:
        self._true = None
        own = answered if told.turn is None else told.move
        if own is None:
            raise _astray("nothing says which move was made")
        move = self._move(self.role, self._letter_case.heard(own))
        return Observation(move, tuple(sorted({self._percept(term) for term in terms})))

    def _move(self, role: RoleId, term: GroundTerm) -> MoveId:
        try:
            return self._machine.move_id(role, term)
        except PlayError:
            name = self._machine.roles[role]
            raise _astray(f"{name} cannot do {shown(format_term(term))}") from None

    def _percept(self, term: GroundTerm) -> PerceptId:
        machine = self._machine
        if isinstance(machine, MeetsPercepts):
            return machine.percept_id(self.role, term)
        percept = self._known_percept(term)
        if percept is None:
            name = machine.roles[self.role]
            raise _astray(f"{name} can never see {shown(format_term(term))}")
        return percept

    def _known_percept(self, term: GroundTerm) -> PerceptId | None:
        machine = self._machine
        if self._percepts is None:
            known = map(PerceptId, range(machine.percept_count(self.role)))
            self._percepts = {machine.percept_term(self.role, p): p for p in known}
        return self._percepts.get(term)


def _knows_move(machine: Machine, role: RoleId, term: GroundTerm) -> bool:
    try:
        machine.move_id(role, term)
    except PlayError:
        return False
    return True


def _astray(why: str) -> PlayError:
    return PlayError.of(
        "GGP005",
        f"what the manager told does not fit the match: {why}",
        fix="look at what the manager sent; the player goes on with moves that it hopes are legal",
    )
