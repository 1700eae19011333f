"""A game and its translation played side by side: the same moves, percepts, ends and goals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fogspiel.core.terms import GroundTerm, MoveId, RoleId
from fogspiel.games.load import LoadedGame
from fogspiel.machine.protocol import Machine, State
from fogspiel.rules.pogddl import syntax
from fogspiel.rules.pogddl.write import write
from fogspiel.rules.translate.to_pogddl.flat import FlatLiteral, FlatProgram, flatten
from fogspiel.rules.translate.to_pogddl.to_pogddl import to_pogddl
from fogspiel.rules.translate.to_pogddl.vocabulary import PogddlVocabulary, vocabulary_of

IDLE = "noop"
MAX_STEPS = 60
ROUNDS = {"whoseturn", "resolving"}
"""Fluents of a translation that say where in a round play is."""


@dataclass(frozen=True, slots=True)
class PogddlTranslation:
    """A game in POGDDL, and what its names stand for in GDL."""

    description: syntax.GameDescription
    names: Correspondence

    @property
    def text(self) -> str:
        """Domain and problem in one text."""
        return write(self.description)


def pogddl_of(game: LoadedGame, name: str) -> PogddlTranslation:
    """A game translated; the words are found again, as they follow from the program."""
    flat = flatten(game.program)
    words = vocabulary_of(flat, game.program)
    names = Correspondence(flat, words, game.hides)
    return PogddlTranslation(to_pogddl(game.program, game.ground, name=name), names)


def assert_same_walk(
    game: Machine, translated: Machine, names: Correspondence, rng: np.random.Generator
) -> int:
    """Play a random match on both machines, comparing all that can be seen. Returns its length."""
    state, position = game.initial(), translated.initial()
    for step in range(MAX_STEPS):
        assert_same_fluents(game, state, translated, position, names)
        assert translated.terminal(position) == game.terminal(state)
        if game.terminal(state):
            assert_same_goals(game, state, translated, position)
            return step
        joint = [MoveId(0)] * len(game.roles)
        for index, role in in_order_of_choice(game):
            mover = RoleId(index)
            legal = game.legal(state, mover)
            terms = {names.move(role, game.move_term(mover, m)) for m in legal}
            assert set(moves_of(translated, position, mover)) == terms
            joint[index] = legal[int(rng.integers(len(legal)))]
            chosen = names.move(role, game.move_term(mover, joint[index]))
            made = joint_of(translated, position, mover, chosen)
            assert not any(percepts_of(translated, position, made))
            position = translated.step(position, made)
        chance = RoleId(translated.roles.index("chance"))
        made = joint_of(translated, position, chance, "resolve")
        assert moves_of(translated, position, chance) == ["resolve"]
        seen = percepts_of(translated, position, made)
        for index, role in enumerate(game.roles):
            known = game.percepts(state, joint, RoleId(index))
            terms = {names.percept(role, game.percept_term(RoleId(index), p)) for p in known}
            assert seen[index] == terms
        state, position = game.step(state, joint), translated.step(position, made)
    return MAX_STEPS


def in_order_of_choice(game: Machine) -> list[tuple[int, str]]:
    """Chance chooses first."""
    return sorted(enumerate(game.roles), key=lambda item: item[0] != game.chance_role)


def moves_of(machine: Machine, state: State, role: RoleId) -> list[GroundTerm]:
    """The moves of the role that is to move; every other role can do nothing but wait."""
    for other in range(len(machine.roles)):
        if other != role:
            waiting = [
                machine.move_term(RoleId(other), m) for m in machine.legal(state, RoleId(other))
            ]
            assert waiting == [IDLE]
    return [machine.move_term(role, move) for move in machine.legal(state, role)]


def joint_of(machine: Machine, state: State, role: RoleId, move: GroundTerm) -> list[MoveId]:
    """The joint move in which one role acts."""
    joint = [machine.legal(state, RoleId(r))[0] for r in range(len(machine.roles))]
    joint[role] = machine.move_id(role, move)
    return joint


def percepts_of(machine: Machine, state: State, joint: Sequence[MoveId]) -> list[set[GroundTerm]]:
    """What every role is told."""
    return [
        {machine.percept_term(RoleId(r), p) for p in machine.percepts(state, joint, RoleId(r))}
        for r in range(len(machine.roles))
    ]


def assert_same_goals(game: Machine, state: State, translated: Machine, position: State) -> None:
    """Gains are goals; a chance role that the rules do not know gets nothing."""
    scaled = [goal / translated.goal_scale for goal in translated.goals(position)]
    expected = [float(goal) for goal in game.goals(state)]
    assert scaled == expected + [0.0] * (len(scaled) - len(expected))


def assert_same_fluents(
    game: Machine, state: State, translated: Machine, position: State, names: Correspondence
) -> None:
    """The fluents that change hold in both; those that never do are no part of the state."""
    expected = {names.fluent(term) for term in game.fluent_terms(state)}
    found = {t for t in translated.fluent_terms(position) if functor(t) not in ROUNDS}
    assert found <= expected
    always = {names.fluent(term) for term in game.fluent_terms(game.initial())}
    assert expected - found <= always


def functor(term: GroundTerm) -> GroundTerm:
    """The name of a term."""
    return term if isinstance(term, str) else term[0]


@dataclass(frozen=True, slots=True)
class Correspondence:
    """Terms of GDL to terms of its translation."""

    flat: FlatProgram
    vocabulary: PogddlVocabulary
    has_percepts: bool

    def role(self, role: str) -> str:
        """What a role is called."""
        return self.vocabulary.roles[role]

    def fluent(self, term: GroundTerm) -> GroundTerm:
        """The atom of a fluent."""
        literal = self.flat.literal("true", [term])
        return self._term(self.vocabulary.predicates[literal.key], literal)

    def move(self, role: str, term: GroundTerm) -> GroundTerm:
        """The action by which a role chooses its move."""
        literal = self.flat.literal("does", [role, term])
        return self._term(self.vocabulary.actions[literal.key], literal)

    def percept(self, role: str, term: GroundTerm) -> GroundTerm:
        """What a role is told; where all see the joint move, `term` is `(does role move)`."""
        if not self.has_percepts:
            assert isinstance(term[1], str)
            return self.move(term[1], term[2])
        literal = self.flat.literal("sees", [role, term])
        return self._term(self.vocabulary.percepts[literal.key], literal, first=1)

    def _term(self, name: str, literal: FlatLiteral, first: int = 0) -> GroundTerm:
        objects = [
            self.vocabulary.object(literal.key, index, part)
            for index, part in enumerate(literal.arguments)
            if isinstance(part, str)
        ]
        return (name, *objects[first:]) if objects[first:] else name
