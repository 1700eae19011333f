"""Positions: random courses, what a role saw of them, and the files that hold them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from belief_cases import machine_of

from fogspiel.belief.exact import ExactBelief
from fogspiel.belief.positions import Position, position_after, random_history, read_position
from fogspiel.belief.protocol import BeliefRequest
from fogspiel.core.findings import FogspielError, PlayError, UsageError
from fogspiel.core.source import Source
from fogspiel.core.terms import MoveId, RoleId, format_term
from fogspiel.games.load import load

FIRST = RoleId(1)
DEALS = [["(deal queen)", "noop", "noop"], ["(deal jack)", "noop", "noop"]]
SEEN = [
    {"move": "noop", "percepts": ["(holds first queen)"]},
    {"move": "noop", "percepts": []},
]


def read(document: Any, game: str = "kuhn_poker", role: RoleId = FIRST) -> Position:
    text = document if isinstance(document, str) else json.dumps(document)
    return read_position(Source("course.json", text), machine_of(game), role)


def fault(document: Any) -> FogspielError:
    with pytest.raises(FogspielError) as caught:
        read(document)
    return caught.value


def percepts(position: Position, game: str = "kuhn_poker") -> list[list[str]]:
    machine = machine_of(game)
    return [
        [format_term(machine.percept_term(position.role, p)) for p in observation.percepts]
        for observation in position.observations
    ]


def test_joint_moves_give_what_the_role_saw_and_the_truth() -> None:
    position = read({"joints": DEALS})
    assert percepts(position) == [["(holds first queen)"], []]
    assert position.joints is not None
    shown = [
        [format_term(machine_of("kuhn_poker").move_term(RoleId(r), m)) for r, m in enumerate(joint)]
        for joint in position.joints
    ]
    assert shown == DEALS


def test_sightings_give_the_same_without_the_truth() -> None:
    position = read({"sightings": SEEN})
    assert position.observations == read({"joints": DEALS}).observations
    assert position.joints is None


def test_each_role_sees_its_own_part() -> None:
    second = read({"joints": DEALS}, role=RoleId(2))
    assert percepts(second) == [[], ["(holds second jack)"]]


def test_percepts_are_sorted_whatever_their_order_in_the_file() -> None:
    joints = [*DEALS, ["noop", "bet", "noop"], ["noop", "noop", "bet"]]
    seen = read({"joints": joints}).observations
    texts = ["(holds second jack)", "(move second bet)"]
    for order in (texts, texts[::-1]):
        observations = [
            *SEEN,
            {"move": "bet", "percepts": []},
            {"move": "noop", "percepts": order},
        ]
        assert read({"sightings": observations}).observations == seen


def test_a_machine_that_numbers_percepts_as_it_meets_them_reads_them_too() -> None:
    machine = load("kuhn_poker", engine="reference").machine
    source = Source("course.json", json.dumps({"sightings": SEEN}))
    belief = ExactBelief(BeliefRequest(machine, FIRST))
    for observation in read_position(source, machine, FIRST).observations:
        belief.advance(observation)
    assert belief.size() == 2


def test_a_file_without_steps_is_the_beginning() -> None:
    assert read({"joints": []}).observations == read({"sightings": []}).observations == ()


def test_random_histories_repeat_by_seed_and_stop_at_the_end() -> None:
    machine = machine_of("kuhn_poker")
    courses = [random_history(machine, 100, seed) for seed in range(30)]
    assert courses == [random_history(machine, 100, seed) for seed in range(30)]
    # Two deals, then two or three moves.
    assert {len(course) for course in courses} == {4, 5}
    assert random_history(machine, 3, 5) == courses[5][:3]
    assert random_history(machine, 0, 5) == []


def test_chance_moves_by_its_weights() -> None:
    """Only moves of positive probability are drawn."""
    machine = machine_of("slippery_robot")
    for seed in range(10):
        state = machine.initial()
        for joint in random_history(machine, 20, seed):
            assert machine.chance_role is not None
            legal = machine.legal(state, machine.chance_role)
            weights = machine.chance_weights(state)
            if len(weights):
                assert weights[legal.index(joint[machine.chance_role])] > 0.0
            state = machine.step(state, joint)


def test_an_illegal_move_in_a_course_is_refused() -> None:
    machine = machine_of("kuhn_poker")
    joint = tuple(machine.legal(machine.initial(), RoleId(r))[0] for r in range(3))
    with pytest.raises(PlayError):
        position_after(machine, [joint, joint], FIRST)
    with pytest.raises(PlayError):
        position_after(machine, [(joint[0], MoveId(joint[1] + 1), joint[2])], FIRST)


@pytest.mark.parametrize(
    "document",
    [
        "no JSON",
        "[" * 100_000,
        "[]",
        "{}",
        {"joints": "noop"},
        {"joints": ["noop", "noop"]},
        {"joints": [["(deal queen)", "noop"]]},
        {"joints": [["(deal queen)", "noop", 1]]},
        {"joints": [["(deal queen", "noop", "noop"]]},
        {"joints": [["(deal queen)", "noop noop", "noop"]]},
        {"joints": [["(deal queen)", "", "noop"]]},
        {"sightings": {}},
        {"sightings": ["noop"]},
        {"sightings": [{"move": "noop"}]},
        {"sightings": [{"percepts": []}]},
        {"sightings": [{"move": "noop", "percepts": [None]}]},
    ],
)
def test_files_of_another_form_are_refused(document: Any) -> None:
    error = fault(document)
    assert isinstance(error, UsageError)
    (finding,) = error.findings
    assert finding.code == "BEL003"
    assert finding.source is not None
    assert finding.source.name == "course.json"
    assert '"sightings"' in finding.fix


def test_a_move_that_the_rules_do_not_know_is_refused() -> None:
    error = fault({"joints": [["(deal ace)", "noop", "noop"]]})
    assert isinstance(error, PlayError)
    assert "(deal ace)" in error.findings[0].message


def test_a_percept_that_the_rules_never_give_fits_nothing() -> None:
    error = fault({"sightings": [{"move": "noop", "percepts": ["(holds first ace)"]}]})
    (finding,) = error.findings
    assert finding.code == "BEL001"
    assert "step 1" in finding.message
    assert "(holds first ace)" in finding.message
