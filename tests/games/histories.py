"""Walks over games through the machine protocol: states, histories, and what roles know.

Knowledge is what the design says it is: the sequence of (own move, percepts) of a role.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import prod
from typing import NamedTuple, TypeAlias

from game_play import machine_of

from fogspiel.core.terms import MoveId, PerceptId, RoleId, format_term
from fogspiel.machine.protocol import Machine, State

TRIES = 12
"""Draws of the other roles' moves before a replay is given up."""

Joint: TypeAlias = tuple[MoveId, ...]
Knowledge: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]
"""The own move and the percepts of each step."""
Policy: TypeAlias = Callable[[str, Knowledge, tuple[str, ...]], Mapping[str, Fraction]]
"""Gives the probabilities of the legal moves of a role, from what it knows."""


class Child(NamedTuple):
    """What one joint move leads to."""

    joint: tuple[str, ...]
    percepts: tuple[tuple[str, ...], ...]
    state: State


@dataclass(frozen=True, slots=True)
class Position:
    """A state with everything the rules say about it."""

    terminal: bool
    goals: tuple[tuple[int, ...], ...]
    """Every goal value that holds, for each role."""
    moves: tuple[tuple[str, ...], ...]
    children: tuple[Child, ...]


class Explorer:
    """Positions of one game, each looked at once."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.roles = machine.roles
        self.role_ids = [RoleId(role) for role in range(len(machine.roles))]
        self._positions: dict[bytes, Position] = {}

    def position(self, state: State) -> Position:
        """The position of a state, from memory when it was met before."""
        key = self.machine.key(state)
        if key not in self._positions:
            self._positions[key] = self._look(state)
        return self._positions[key]

    def _look(self, state: State) -> Position:
        machine = self.machine
        roles = self.role_ids
        goals = tuple(machine.goal_values(state, role) for role in roles)
        if machine.terminal(state):
            return Position(True, goals, tuple(() for _ in roles), ())
        moves = tuple(
            tuple(self.move(role, move) for move in machine.legal(state, role)) for role in roles
        )
        return Position(False, goals, moves, tuple(self._children(state)))

    def _children(self, state: State) -> Iterator[Child]:
        machine = self.machine
        expansion = machine.expand(state)
        parents = state[None, :].repeat(len(expansion.joints), axis=0)
        seen = [machine.percepts_batch(parents, expansion.joints, role) for role in self.role_ids]
        for child, joint in enumerate(expansion.joints):
            yield Child(
                tuple(self.move(RoleId(role), move) for role, move in enumerate(joint)),
                tuple(
                    tuple(self.percept(RoleId(role), p) for p in rows[child].nonzero()[0])
                    for role, rows in enumerate(seen)
                ),
                expansion.states[child],
            )

    def move(self, role: RoleId, move: int) -> str:
        """A move in prefix notation."""
        return format_term(self.machine.move_term(role, MoveId(move)))

    def percept(self, role: RoleId, percept: int) -> str:
        """A percept in prefix notation."""
        return format_term(self.machine.percept_term(role, PerceptId(percept)))


@cache
def explorer(name: str) -> Explorer:
    """A bundled game on the compiled machine."""
    return Explorer(machine_of(name))


class StateCount(NamedTuple):
    """Distinct states of a game."""

    states: int
    terminal: int


def count_states(machine: Machine) -> StateCount:
    """Breadth-first search over all states that play can reach."""
    start = machine.initial()
    met = {machine.key(start)}
    queue = deque([start])
    terminal = 0
    while queue:
        expansion = machine.expand(queue.popleft())
        for state, over in zip(expansion.states, expansion.terminal, strict=True):
            key = machine.key(state)
            if key not in met:
                met.add(key)
                terminal += bool(over)
                if not over:
                    queue.append(state)
    return StateCount(len(met), terminal)


@dataclass(slots=True)
class TreeCount:
    """Nodes of the tree of histories, counted as OpenSpiel does where one role moves at a time."""

    chance: int = 0
    decision: int = 0
    terminal: int = 0
    infosets: int = 0


def count_tree(game: Explorer) -> TreeCount:
    """Walk every history, asserting on the way that roles know what they must know."""
    count = TreeCount()
    known = KnowledgeCheck(game)
    empty: list[Knowledge] = [() for _ in game.roles]
    stack = [(game.machine.initial(), empty)]
    while stack:
        state, knowledge = stack.pop()
        position = game.position(state)
        known.note(position, knowledge)
        count.terminal += position.terminal
        for role, moves in enumerate(position.moves):
            count.chance += role == game.machine.chance_role and len(moves) > 1
            count.decision += role != game.machine.chance_role and len(moves) > 1
        stack += [(child.state, extend(knowledge, child)) for child in position.children]
    count.infosets = known.infosets()
    return count


def extend(knowledge: list[Knowledge], child: Child) -> list[Knowledge]:
    """What the roles know after a step."""
    steps = zip(child.joint, child.percepts, strict=True)
    return [(*old, step) for old, step in zip(knowledge, steps, strict=True)]


class KnownFacts(NamedTuple):
    """What must be the same wherever a role knows the same."""

    terminal: bool
    moves: tuple[str, ...]
    goals: tuple[int, ...]


class KnowledgeCheck:
    """Asserts that legal moves, the end and the own result are functions of knowledge."""

    def __init__(self, game: Explorer) -> None:
        self._game = game
        self._known: dict[tuple[str, Knowledge], KnownFacts] = {}

    def note(self, position: Position, knowledge: list[Knowledge]) -> None:
        """Compare a position with all others that look the same to a role."""
        for role, name in enumerate(self._game.roles):
            if role == self._game.machine.chance_role:
                continue
            assert position.terminal or position.moves[role], "a role without a legal move"
            assert not position.terminal or len(position.goals[role]) == 1, "not one goal"
            result = position.goals[role] if position.terminal else ()
            facts = KnownFacts(position.terminal, position.moves[role], result)
            before = self._known.setdefault((name, knowledge[role]), facts)
            assert before == facts, f"{name} cannot tell {before} from {facts}"

    def infosets(self) -> int:
        """Information sets in which a role has more than one move."""
        return sum(len(facts.moves) > 1 for facts in self._known.values())


def check_knowledge_by_resampling(game: Explorer, *, walks: int, seed: int) -> None:
    """Check histories of trees too large to count: others that look the same to a role.

    Each random history is replayed for each player with its own moves kept and all others drawn
    anew, as far as its percepts stay the same.
    """
    rng = random.Random(seed)
    for _ in range(walks):
        history = _random_history(game, rng)
        for role in game.role_ids:
            if role != game.machine.chance_role:
                _replay(game, history, role, rng)


def _random_history(game: Explorer, rng: random.Random) -> list[tuple[State, Joint]]:
    """States with the joint moves made in them; the last one is terminal, its move empty."""
    state = game.machine.initial()
    history: list[tuple[State, Joint]] = []
    while not game.machine.terminal(state):
        joint = tuple(rng.choice(game.machine.legal(state, role)) for role in game.role_ids)
        history.append((state, joint))
        state = game.machine.step(state, joint)
    return [*history, (state, ())]


def _replay(
    game: Explorer, history: list[tuple[State, Joint]], role: RoleId, rng: random.Random
) -> None:
    machine = game.machine
    other = machine.initial()
    for (state, joint), (successor, _) in pairwise(history):
        seen = machine.percepts(state, joint, role)
        for _ in range(TRIES):
            drawn = [rng.choice(machine.legal(other, r)) for r in game.role_ids]
            drawn[role] = joint[role]
            if machine.percepts(other, drawn, role) == seen:
                break
        else:
            return
        other = machine.step(other, drawn)
        assert _certain(machine, other, role) == _certain(machine, successor, role)


def _certain(machine: Machine, state: State, role: RoleId) -> tuple[object, ...]:
    """What a role must know in a state: whether play is over, its moves or its only goal."""
    if machine.terminal(state):
        goals = machine.goal_values(state, role)
        assert len(goals) == 1
        return True, goals
    moves = machine.legal(state, role)
    assert moves
    return False, moves


def uniform(_role: str, _knowledge: Knowledge, moves: tuple[str, ...]) -> Mapping[str, Fraction]:
    """Every move is equally likely."""
    return {move: Fraction(1, len(moves)) for move in moves}


def mean_goals(game: Explorer, policy: Policy = uniform) -> list[Fraction]:
    """The exact mean goal of every role over the whole tree; chance always draws uniformly."""
    chance = game.machine.chance_role

    def value(state: State, knowledge: list[Knowledge]) -> list[Fraction]:
        position = game.position(state)
        if position.terminal:
            return [Fraction(max(goals, default=0)) for goals in position.goals]
        choices = [
            (uniform if role == chance else policy)(name, knowledge[role], position.moves[role])
            for role, name in enumerate(game.roles)
        ]
        total = [Fraction(0)] * len(game.roles)
        for child in position.children:
            pairs = zip(choices, child.joint, strict=True)
            weight = prod(
                (choice.get(move, Fraction(0)) for choice, move in pairs), start=Fraction(1)
            )
            if weight:
                below = value(child.state, extend(knowledge, child))
                total = [done + weight * more for done, more in zip(total, below, strict=True)]
        return total

    return value(game.machine.initial(), [() for _ in game.roles])
