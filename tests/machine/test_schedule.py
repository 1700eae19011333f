"""Evaluation order of gates: no value is read before it is computed, whatever phases are run."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from ground_rules import RandomRules, random_rules
from hypothesis import given

from fogspiel.games.library import game_source
from fogspiel.ground.program import ground
from fogspiel.machine.compiled.compile.compiled_game import GateNetwork
from fogspiel.machine.compiled.compile.network import compile_program
from fogspiel.machine.compiled.kernel.wiring import GOAL, LEGAL, NEXT, PHASES, SEES
from fogspiel.rules.gdl.normalise.normalise import normalise
from fogspiel.rules.gdl.read import read_description

DECISION = "fogspiel.machine.compiled.compile.assemble.builds_in_python"
GAMES = ["tic_tac_toe", "hex(4)", "othello(4)", "leduc_poker", "goofspiel_4"]

AFTER = {LEGAL: [], NEXT: [LEGAL], GOAL: [LEGAL], SEES: [LEGAL, NEXT, GOAL]}
"""The phases that have been run when a phase begins: goals are read without successors."""


def network_of(name: str) -> GateNetwork:
    return compile_program(ground(normalise(read_description(game_source(name))[0])))


def slots_written(network: GateNetwork, phase: int) -> set[int]:
    """The slots of the gates of a phase."""
    gates = network.gates
    blocks = gates.blocks[gates.phases[phase] : gates.phases[phase + 1]]
    return {
        slot
        for first, end, *_ in blocks
        for run in gates.runs[first:end]
        for slot in range(run[0], run[1])
    }


def assert_in_order(network: GateNetwork) -> None:
    """Every gate of every phase reads what was given, or written before it."""
    gates = network.gates
    given_slots = set(range(network.wiring.first_move + len(network.wiring.legal)))
    # Variables that only stand for each other belong to no block: nothing ever makes them true.
    settled = set[int]().union(*(_variables(network, phase) for phase in range(PHASES)))
    given_slots |= set(gates.loop_slots.tolist()) - settled
    assert gates.phases[0] == 0
    assert gates.phases[PHASES] == len(gates.blocks)
    for phase in range(PHASES):
        ready = given_slots.union(*(slots_written(network, before) for before in AFTER[phase]))
        for before in AFTER[phase]:
            ready |= _variables(network, before)
        for first, end, first_variable, end_variable in _blocks(network, phase):
            ready |= set(gates.loop_slots[first_variable:end_variable].tolist())
            for slot, read in _gates_of(network, first, end):
                assert read <= ready
                ready.add(slot)
            for source in gates.loop_sources[first_variable:end_variable].tolist():
                assert source >> 1 in ready


def _gates_of(network: GateNetwork, first: int, end: int) -> list[tuple[int, set[int]]]:
    """The slots of the gates of some runs, in order, and what each reads."""
    gates = network.gates
    found = []
    for slot, last, holds, inverted, at in gates.runs[first:end].tolist():
        arity = holds + inverted
        for i in range(last - slot):
            start = at + i * arity
            found.append((slot + i, set(gates.inputs[start : start + arity].tolist())))
    return found


def _blocks(network: GateNetwork, phase: int) -> list[list[int]]:
    gates = network.gates
    rows: list[list[int]] = gates.blocks[gates.phases[phase] : gates.phases[phase + 1]].tolist()
    return rows


def _variables(network: GateNetwork, phase: int) -> set[int]:
    """The loop variables that a phase settles."""
    slots = network.gates.loop_slots
    return {int(slot) for *_, a, b in _blocks(network, phase) for slot in slots[a:b]}


@pytest.mark.parametrize("name", GAMES)
def test_gates_of_bundled_games_read_what_is_there(name: str) -> None:
    assert_in_order(network_of(name))


@given(random_rules())
def test_gates_of_random_rules_read_what_is_there(drawn: RandomRules) -> None:
    assert_in_order(compile_program(drawn.program()))


@pytest.mark.parametrize("name", GAMES)
def test_outputs_are_read_from_the_phases_they_belong_to(name: str) -> None:
    network = network_of(name)
    wiring = network.wiring
    given_slots = set(range(wiring.first_move + len(wiring.legal)))
    written = [slots_written(network, phase) for phase in range(PHASES)]
    assert sum(map(len, written)) == network.gate_count
    assert len(set().union(*written)) == network.gate_count
    legal = given_slots | written[LEGAL] | _variables(network, LEGAL)
    assert {int(x) >> 1 for x in [*wiring.legal, wiring.terminal]} <= legal
    assert {int(x) >> 1 for x in wiring.next} <= legal | written[NEXT] | _variables(network, NEXT)
    assert {int(x) >> 1 for x in wiring.goals} <= legal | written[GOAL] | _variables(network, GOAL)


@pytest.mark.parametrize("name", GAMES)
def test_goals_depend_on_the_fluents_that_are_parked_for_them(name: str) -> None:
    """Only these are copied when a game ends: no gate of a goal may reach another fluent."""
    network = network_of(name)
    gates = network.gates
    reads = dict(_gates_of(network, 0, len(gates.runs)))
    for slot, source in zip(gates.loop_slots.tolist(), gates.loop_sources.tolist(), strict=True):
        reads[slot] = {source >> 1}
    work = [int(literal) >> 1 for literal in network.wiring.goals]
    found = set(work)
    while work:
        for below in reads.get(work.pop(), set()) - found:
            found.add(below)
            work.append(below)
    fluents = np.array(sorted(slot - 1 for slot in found if 1 <= slot <= network.wiring.fluents))
    assert set(fluents.tolist()) <= set(network.wiring.goal_fluents.tolist())


@pytest.mark.parametrize("name", [*GAMES, "exploding_bomb"])
def test_machine_code_and_python_build_the_same_gates(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = []
    for plain in (True, False):
        monkeypatch.setattr(DECISION, lambda rules, plain=plain: plain)
        built.append(network_of(name))
    python, compiled = built
    for field in fields(GateNetwork):
        if field.compare:
            assert_equal(getattr(python, field.name), getattr(compiled, field.name))


def assert_equal(one: object, other: object) -> None:
    """Records and arrays with the same contents, and of the same types."""
    assert type(one) is type(other)
    if isinstance(one, np.ndarray):
        np.testing.assert_array_equal(one, other, strict=True)
    elif isinstance(one, tuple) and isinstance(other, tuple):
        for part, counterpart in zip(one, other, strict=True):
            assert_equal(part, counterpart)
    else:
        assert one == other
