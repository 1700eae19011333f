"""What tests of games share: compiled machines by name, counts and values over game trees."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.terms import GroundTerm, MoveId, RoleId
from fogspiel.games.library import game_source
from fogspiel.ground.program import ground
from fogspiel.machine.compiled.machine import CompiledMachine
from fogspiel.machine.protocol import Joints, Machine, State, States
from fogspiel.rules.clauses import Program
from fogspiel.rules.gdl.normalise.normalise import normalise
from fogspiel.rules.gdl.read import read_description


@cache
def program_of(name: str) -> Program:
    """The clauses of a bundled game, or of a member of a family."""
    description, findings = read_description(game_source(name))
    assert not findings
    return normalise(description)


@cache
def machine_of(name: str) -> CompiledMachine:
    """The compiled machine of a game; each is built once a test run."""
    return CompiledMachine(ground(program_of(name)))


def roles_of(machine: Machine) -> tuple[RoleId, ...]:
    """The ids of all roles."""
    return tuple(RoleId(role) for role in range(len(machine.roles)))


def children_of(machine: Machine, states: States) -> tuple[States, NDArray[np.int64]]:
    """All successors of states that are not terminal, and for each the row it came from."""
    rows = np.arange(len(states))
    joints: Joints = np.zeros((len(states), 0), np.int32)
    for role in roles_of(machine):
        legal = machine.legal_batch(states, role)
        counts = legal.sum(axis=1)
        first = np.concatenate([[0], np.cumsum(counts)])
        # Each row so far is repeated once for every legal move of this role.
        repeats = counts[rows]
        source = np.repeat(np.arange(len(rows)), repeats)
        within = np.arange(len(source)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
        moves = np.nonzero(legal)[1][first[rows[source]] + within]
        joints = np.column_stack([joints[source], moves.astype(np.int32)])
        rows = rows[source]
    return machine.step_batch(states[rows], joints), rows


def perft(machine: Machine, depth: int, start: State | None = None) -> list[int]:
    """Number of move sequences of each length up to `depth`; play stops where the game is over."""
    states: States = (machine.initial() if start is None else start)[None, :]
    counts: list[int] = []
    for length in range(1, depth + 1):
        states = states[~machine.terminal_batch(states)]
        choices = np.ones(len(states), np.int64)
        for role in roles_of(machine):
            choices *= machine.legal_batch(states, role).sum(axis=1)
        counts.append(int(choices.sum()))
        if length < depth:
            states, _ = children_of(machine, states)
    return counts


def layers(machine: Machine) -> Iterator[States]:
    """Distinct states that can be reached in 0, 1, 2, … steps; one may be in several layers."""
    states: States = machine.initial()[None, :]
    while len(states):
        states = np.unique(states, axis=0)
        yield states
        open_states = states[~machine.terminal_batch(states)]
        if len(open_states) == 0:
            return
        states, _ = children_of(machine, open_states)


def state_count(machine: Machine) -> int:
    """Number of distinct states of a game without cycles."""
    return len({machine.key(state) for states in layers(machine) for state in states})


def exact_mean_goals(machine: Machine) -> tuple[Fraction, ...]:
    """Expected goals when every role plays uniformly at random: exact, over all states."""
    known: dict[bytes, tuple[Fraction, ...]] = {}
    for states in reversed(list(layers(machine))):
        terminal = machine.terminal_batch(states)
        for state in states[terminal]:
            known[machine.key(state)] = tuple(map(Fraction, machine.goals(state)))
        open_states = states[~terminal]
        if len(open_states) == 0:
            continue
        children, rows = children_of(machine, open_states)
        sums: dict[int, list[tuple[Fraction, ...]]] = {}
        for child, row in zip(children, rows.tolist(), strict=True):
            sums.setdefault(row, []).append(known[machine.key(child)])
        for row, goals in sums.items():
            means = (sum(column, Fraction(0)) / len(goals) for column in zip(*goals, strict=True))
            known[machine.key(open_states[row])] = tuple(means)
    return known[machine.key(machine.initial())]


def value_for_first(machine: Machine) -> int:
    """Goal of the first role under best play of a two-player game in turns without cycles."""
    known: dict[bytes, int] = {}
    for states in reversed(list(layers(machine))):
        terminal = machine.terminal_batch(states)
        for state in states[terminal]:
            known[machine.key(state)] = machine.goals(state)[0]
        open_states = states[~terminal]
        if len(open_states) == 0:
            continue
        children, rows = children_of(machine, open_states)
        values = np.array([known[machine.key(child)] for child in children])
        starts = np.flatnonzero(np.diff(rows, prepend=-1))
        first_waits = only_waits(machine, open_states, RoleId(0))
        best = np.where(
            first_waits, np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
        )
        known.update(zip(map(machine.key, open_states), best.tolist(), strict=True))
    return known[machine.key(machine.initial())]


def only_waits(machine: Machine, states: States, role: RoleId) -> NDArray[np.bool_]:
    """(n,) whether `noop` is legal for a role: in games in turns it then has no other move."""
    waits: NDArray[np.bool_] = machine.legal_batch(states, role)[:, machine.move_id(role, "noop")]
    return waits


def moves_on_turn(machine: Machine, state: State) -> tuple[RoleId, dict[GroundTerm, MoveId]]:
    """The role that is on turn in a game in turns, and its legal moves by their terms."""
    for role in roles_of(machine):
        moves = {machine.move_term(role, move): move for move in machine.legal(state, role)}
        if set(moves) != {"noop"}:
            return role, moves
    raise AssertionError("nobody has a move but noop")


def play_on_turn(machine: Machine, state: State, move: GroundTerm) -> State:
    """The state after the role on turn makes a move and every other role waits."""
    on_turn, _ = moves_on_turn(machine, state)
    joint = [
        machine.move_id(role, move if role == on_turn else "noop") for role in roles_of(machine)
    ]
    return machine.step(state, joint)
