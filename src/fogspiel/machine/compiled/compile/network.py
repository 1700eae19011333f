"""Compilation of a ground program into a gate array.

    atoms -> gates (assemble) -> phases, levels, slots (schedule) -> literals to read (wiring)

Compilation is repeated while it finds fluents that never change or moves that are never legal.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.findings import RulesError
from fogspiel.core.terms import GroundTerm
from fogspiel.ground.arithmetic.register import FAULTS, is_fault
from fogspiel.ground.program import ALWAYS, GroundProgram
from fogspiel.machine.compiled.compile.assemble import (
    UNSET,
    Definitions,
    Loops,
    assemble,
    building,
    components,
    definitions_of,
    make_cubes,
)
from fogspiel.machine.compiled.compile.compiled_game import CompiledGame, GateNetwork
from fogspiel.machine.compiled.compile.gates import (
    FALSE,
    PLAIN,
    TRUE,
    GateStore,
    make_and,
    make_pool,
)
from fogspiel.machine.compiled.compile.phases import cone
from fogspiel.machine.compiled.compile.schedule import output_literals, schedule
from fogspiel.machine.compiled.kernel.wiring import GOAL, Gates, Wiring

MAX_ROUNDS = 8


@dataclass(frozen=True, slots=True)
class _Draft:
    """One round of compilation, over the fluents and moves not yet known to be constant."""

    pool: GateStore
    loops: Loops
    literal_of: NDArray[np.int32]
    fluents: list[GroundTerm]
    moves: list[tuple[str, GroundTerm]]  #: Sorted by role in the order of the game's roles

    def literal(self, atom: int | None) -> int:
        """The literal of an atom; undefined atoms are false."""
        if atom is None:
            return FALSE
        if atom == ALWAYS:
            return TRUE
        found = int(self.literal_of[atom])
        return FALSE if found == UNSET else found


def compile_game(program: GroundProgram) -> CompiledGame:
    """Compile a ground program into all that a machine is made of. Raises as `compile_program`."""
    return CompiledGame(
        network=compile_program(program),
        roles=program.roles,
        chance_role=program.chance_role,
        goal_scale=program.goal_scale,
        registers=program.registers,
        ground_rules=len(program.rules.heads),
        ground_seconds=program.seconds,
    )


def compile_program(program: GroundProgram) -> GateNetwork:
    """Compile a ground program. Raises `RulesError` on negation through recursion."""
    with building(len(program.rules.heads)):
        return _compile(program)


def _compile(program: GroundProgram) -> GateNetwork:
    started = time.perf_counter()
    definitions = definitions_of(program.rules)
    atoms, ends = components(definitions, _roots(program), _inputs(program))
    constant: dict[GroundTerm, int] = {}
    dead: set[tuple[str, GroundTerm]] = set()
    draft = _draft(program, definitions, atoms, ends, constant, dead)
    for _ in range(MAX_ROUNDS):
        if not _learn(program, draft, constant, dead):
            break
        draft = _draft(program, definitions, atoms, ends, constant, dead)
    return _finish(program, draft, constant, started)


def _inputs(program: GroundProgram) -> NDArray[np.bool_]:
    """(atoms + 1,) whether each atom is an input of the circuit: a fluent or a move."""
    given = np.zeros(program.rules.atoms + 1, np.bool_)
    given[list(program.fluents.values())] = True
    given[list(program.moves.values())] = True
    return given


def _roots(program: GroundProgram) -> NDArray[np.int32]:
    """The atoms that a game is played with: next, legal, goal, sees, terminal, gains, weights."""
    found = {
        atom
        for relation in (program.next, program.legal, program.goals, program.sees)
        for atom in relation.values()
    }
    found.update(atom for *_, atom in program.gains or ())
    found.update(atom for *_, atom in program.weights or ())
    if program.terminal is not None:
        found.add(program.terminal)
    found.discard(ALWAYS)
    return np.array(sorted(found), np.int32)


def _draft(
    program: GroundProgram,
    definitions: Definitions,
    atoms: NDArray[np.int32],
    ends: NDArray[np.int64],
    constant: dict[GroundTerm, int],
    dead: set[tuple[str, GroundTerm]],
) -> _Draft:
    fluents = [fluent for fluent in program.fluents if fluent not in constant]
    by_role = [
        [key for key in program.moves if key[0] == role and key not in dead]
        for role in program.roles
    ]
    moves = [key for keys in by_role for key in keys]
    pool = make_pool(
        len(fluents),
        [len(keys) for keys in by_role],
        rules=len(definitions.offsets),
        literals=len(definitions.literals),
        atoms=program.rules.atoms,
    )
    literal_of = np.full(program.rules.atoms + 1, UNSET, np.int32)
    literal_of[list(program.moves.values())] = FALSE
    for fluent, value in constant.items():
        literal_of[program.fluents[fluent]] = value
    for i, fluent in enumerate(fluents):
        literal_of[program.fluents[fluent]] = 2 * (1 + i)
    for i, key in enumerate(moves):
        literal_of[program.moves[key]] = 2 * (1 + len(fluents) + i)
    cubes = make_cubes(definitions, pool)
    loops, fault = assemble(pool, cubes, definitions, atoms, ends, literal_of)
    if fault:
        raise RulesError.of(
            "MCH004",
            "a relation depends on its own negation, so it has no least meaning",
            fix="break the cycle, e.g. by asking for the value in the previous state",
        )
    return _Draft(pool, loops, literal_of, fluents, moves)


def _learn(
    program: GroundProgram,
    draft: _Draft,
    constant: dict[GroundTerm, int],
    dead: set[tuple[str, GroundTerm]],
) -> bool:
    """Record fluents that keep their value and moves never legal; returns whether any are new."""
    known = len(constant) + len(dead)
    for i, fluent in enumerate(draft.fluents):
        own = 2 * (1 + i)
        following = draft.literal(program.next.get(fluent))
        if fluent in program.initial and following in {TRUE, own}:
            constant[fluent] = TRUE
        elif fluent not in program.initial and following in {FALSE, own}:
            constant[fluent] = FALSE
    dead.update(key for key in draft.moves if draft.literal(program.legal.get(key)) == FALSE)
    return len(constant) + len(dead) > known


def _finish(
    program: GroundProgram, draft: _Draft, constant: dict[GroundTerm, int], started: float
) -> GateNetwork:
    role_ids = {role: i for i, role in enumerate(program.roles)}
    following = [draft.literal(program.next.get(fluent)) for fluent in draft.fluents]
    legal = [draft.literal(program.legal.get(key)) for key in draft.moves]
    terminal = draft.literal(program.terminal)
    raw_goals = _raw_goals(program, draft)
    goals = [goal for role, raw in enumerate(raw_goals) for goal in _exclusive(draft, role, raw)]
    goals += _gains(program, draft)
    weights = _weights(program, draft)
    percepts, percept_nodes = _percepts(program, draft)
    phase_outputs = [
        np.array(literals, np.int32)
        for literals in (
            [*legal, terminal, *(literal for *_, literal in weights)],
            following,
            [literal for *_, literal in goals]
            + [literal for raw in raw_goals for _, literal in raw],
            [literal for nodes in percept_nodes for literal in nodes],
        )
    ]
    goal_cone = cone(draft.pool, draft.loops, phase_outputs[GOAL])
    sources = 1 + len(draft.fluents) + len(draft.moves)
    plan = schedule(draft.pool, draft.loops, sources, phase_outputs)

    def places(literals: list[int]) -> NDArray[np.uint32]:
        return output_literals(np.array(literals, np.int32), plan)

    counts = np.bincount([role_ids[role] for role, _ in draft.moves], minlength=len(role_ids))
    wiring = Wiring(
        fluents=len(draft.fluents),
        first_move=1 + len(draft.fluents),
        role_starts=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        legal=places(legal),
        terminal=int(places([terminal])[0]),
        next=places(following),
        goals=places([literal for *_, literal in goals]),
        goal_roles=np.array([role for role, *_ in goals], np.int64),
        goal_values=np.array([value for _, value, _ in goals], np.int64),
        goal_fluents=np.flatnonzero(goal_cone[1 : 1 + len(draft.fluents)]),
        goal_cost=_phase_inputs(plan.gates, GOAL),
        weighted_role=role_ids[str(program.chance_role)] if weights else len(role_ids),
        weights=places([literal for *_, literal in weights]),
        weight_moves=np.array([move for move, *_ in weights], np.int64),
        weight_values=np.array([amount for _, amount, _ in weights], np.int64),
    )
    return GateNetwork(
        gates=plan.gates,
        wiring=wiring,
        slots=plan.slots,
        fluents=tuple(draft.fluents),
        always=tuple(fluent for fluent, value in constant.items() if value == TRUE),
        initial=tuple(fluent in program.initial for fluent in draft.fluents),
        moves=tuple(
            tuple(move for owner, move in draft.moves if owner == role) for role in program.roles
        ),
        percepts=percepts,
        percept_literals=tuple(places(nodes) for nodes in percept_nodes),
        raw_goals=None
        if program.gains is not None
        else tuple(
            tuple((value, int(places([literal])[0])) for value, literal in raw) for raw in raw_goals
        ),
        seconds=time.perf_counter() - started,
    )


def _raw_goals(program: GroundProgram, draft: _Draft) -> list[list[tuple[int, int]]]:
    """Goals of each role as (value, literal), largest value first; goals must be integers."""
    goals: list[list[tuple[int, int]]] = [[] for _ in program.roles]
    for (role, value), atom in program.goals.items():
        literal = draft.literal(atom)
        # Python also reads names as numbers that are no numbers in GDL: `+5`, `1_0`, `٣`.
        is_number = isinstance(value, str) and re.fullmatch(r"-?[0-9]+", value) is not None
        if role in program.roles and is_number and literal != FALSE:
            goals[program.roles.index(role)].append((int(str(value)), literal))
    return [sorted(raw, reverse=True) for raw in goals]


def _gains(program: GroundProgram, draft: _Draft) -> list[tuple[int, int, int]]:
    """Gains as (role, amount, literal). Faults are counted for a role after the last."""
    found = [
        (program.roles.index(role), amount, literal)
        for role, amount, atom in program.gains or ()
        if role in program.roles and (literal := draft.literal(atom)) != FALSE
    ]
    found += [
        (len(program.roles), FAULTS[str(fluent[0])], draft.literal(program.fluents[fluent]))
        for fluent in draft.fluents
        if is_fault(fluent)
    ]
    return found


def _weights(program: GroundProgram, draft: _Draft) -> list[tuple[int, int, int]]:
    """Weights as (move, amount, literal), added to the move of chance where the literal holds."""
    places = {key: place for place, key in enumerate(draft.moves)}
    return [
        (places[key], amount, literal)
        for move, amount, atom in program.weights or ()
        if (key := (str(program.chance_role), move)) in places
        and (literal := draft.literal(atom)) != FALSE
    ]


def _exclusive(draft: _Draft, role: int, raw: list[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """Goals as (role, value, literal) that exclude each other: the largest that holds counts."""
    exclusive = []
    none_larger = TRUE
    for value, literal in raw:
        pair = np.array([literal, none_larger], np.int32)
        exclusive.append((role, value, int(make_and(draft.pool, pair, 0, 2, PLAIN))))
        pair = np.array([literal ^ 1, none_larger], np.int32)
        none_larger = int(make_and(draft.pool, pair, 0, 2, PLAIN))
    return exclusive


def _percepts(
    program: GroundProgram, draft: _Draft
) -> tuple[tuple[tuple[GroundTerm, ...], ...], list[list[int]]]:
    """Percepts of each role and their literals; without `sees`, every role sees the joint move."""
    if not program.has_percepts:
        first = 2 * (1 + len(draft.fluents))
        seen = tuple(("does", role, move) for role, move in draft.moves)
        literals = [first + 2 * i for i in range(len(draft.moves))]
        return tuple(seen for _ in program.roles), [literals for _ in program.roles]
    terms = []
    nodes = []
    for role in program.roles:
        found = {
            percept: literal
            for (owner, percept), atom in program.sees.items()
            if owner == role and (literal := draft.literal(atom)) != FALSE
        }
        terms.append(tuple(found))
        nodes.append(list(found.values()))
    return tuple(terms), nodes


def _phase_inputs(gates: Gates, phase: int) -> int:
    """Number of gate inputs in a phase."""
    blocks = gates.blocks[gates.phases[phase] : gates.phases[phase + 1]]
    total = 0
    for first, end, *_ in blocks:
        runs = gates.runs[first:end]
        total += int(((runs[:, 1] - runs[:, 0]) * (runs[:, 2] + runs[:, 3])).sum())
    return total
