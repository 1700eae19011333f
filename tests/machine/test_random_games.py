"""Both machines agree on games that hypothesis makes up, whether rules are split or not."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from random_games import games
from two_machines import compiled_of, program_of, walk_both

from fogspiel.core.findings import errors_in
from fogspiel.core.source import Source
from fogspiel.core.terms import RoleId
from fogspiel.ground import split
from fogspiel.ground.program import ground
from fogspiel.machine.compiled.machine import CompiledMachine
from fogspiel.machine.protocol import Machine
from fogspiel.machine.prover.machine import ReferenceMachine
from fogspiel.rules.clauses import Program
from fogspiel.rules.gdl.check.checks import check
from fogspiel.rules.gdl.read import read_description

WALKS = 4
MAX_STEPS = 10


def assert_agreement(machine: Machine, program: Program, seed: int) -> None:
    reference = ReferenceMachine(program)
    limits = {"walks": WALKS, "max_steps": MAX_STEPS}
    walk_both(machine, reference, seed=seed, **limits)


@settings(max_examples=14)
@given(games())
def test_both_machines_agree_on_random_games(text: str) -> None:
    program = program_of(text)
    machine = CompiledMachine(ground(program))
    assert_agreement(machine, program, seed=5)


@settings(max_examples=10)
@given(games())
def test_they_agree_where_every_rule_is_split(text: str) -> None:
    program = program_of(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(split, "LARGE", -1)
        patch.setattr(split, "WORTHWHILE", float("inf"))
        machine = CompiledMachine(ground(program))
    assert_agreement(machine, program, seed=6)


def states_of(machine: Machine, limit: int) -> int:
    """Number of reachable states, counted up to a limit."""
    reached = [machine.initial()]
    keys = {machine.key(reached[0])}
    for state in reached:
        choices = [machine.legal(state, RoleId(role)) for role in range(len(machine.roles))]
        if machine.terminal(state) or not all(choices):
            continue
        for child in machine.expand(state).states:
            if machine.key(child) not in keys:
                keys.add(machine.key(child))
                reached.append(child)
        if len(reached) > limit:
            break
    return len(reached)


def test_the_games_are_valid_and_varied(capsys: pytest.CaptureFixture[str]) -> None:
    """Agreement on trivial games would say little: most must have states, choices and an end."""
    counts: Counter[str] = Counter()

    @settings(max_examples=14)
    @given(games())
    def survey(text: str) -> None:
        description, findings = read_description(Source("random", text))
        assert errors_in([*findings, *check(description)]) == []
        machine = compiled_of(text)
        result = machine.playouts(machine.initial()[None, :], seed=1, count=64, max_steps=20)
        counts["games"] += 1
        # The clock alone makes five.
        counts["more than 6 states"] += states_of(machine, 6) > 6
        counts["ending by the rules"] += result.cut + result.stuck < 64
        counts["recursive gates"] += len(machine.network.gates.loop_slots) > 0
        counts["percepts"] += "sees" in text
        counts["chance"] += machine.chance_role is not None
        counts["several roles"] += len(machine.roles) > 1

    survey()
    with capsys.disabled():
        print(f"\nrandom games: {dict(counts)}")
    for trait in ("more than 6 states", "ending by the rules"):
        assert counts[trait] > counts["games"] / 2, trait
    for trait in ("recursive gates", "percepts", "chance", "several roles"):
        assert counts[trait] > counts["games"] / 10, trait
