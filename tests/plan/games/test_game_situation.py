"""A situation in a game is what the machine says in every world, split by what the role sees."""

from __future__ import annotations

import numpy as np
import pytest

from fogspiel.core.budget import Budget
from fogspiel.core.findings import LimitError, PlayError
from fogspiel.core.source import Source
from fogspiel.core.terms import GroundTerm, MoveId, RoleId
from fogspiel.games.load import load
from fogspiel.machine.protocol import Machine, State
from fogspiel.plan.games.model import GameModel
from fogspiel.plan.games.planning import ANY_MOVE, worlds_of
from fogspiel.plan.games.situation import GameSituation
from fogspiel.plan.language.reading import sound_network
from fogspiel.plan.task_network import Method, MethodLiteral, TaskNetwork
from fogspiel.plan.tree.building import Planner
from fogspiel.plan.tree.criteria import criterion
from fogspiel.plan.tree.nodes import TreeLimits

WORLDS = 32


def situation_of(
    machine: Machine, role: int = 0, *, state: State | None = None, drawn: bool = False
) -> GameSituation:
    """A state that is known, in as many worlds as there is room for."""
    model = GameModel(machine, RoleId(role), 7, draws_others=drawn, playouts=WORLDS)
    first = machine.initial() if state is None else state
    states, weights = worlds_of(first[None], np.ones(1), WORLDS, np.random.default_rng(1))
    return GameSituation(model, states, weights)


def solutions(situation: GameSituation, *atom: GroundTerm) -> list[dict[str, GroundTerm]]:
    return [dict(found) for found in situation.solutions(tuple(atom), {})]


def only_report(situation: GameSituation) -> GameSituation:
    (report,) = situation.reports
    return situation.perform(report)


def fleet_laid(machine: Machine) -> GameSituation:
    """The situation after both ships of both sides were laid out."""
    now = situation_of(machine, drawn=True).perform(("place", "boat", "across", "1", "1"))
    now = only_report(now).perform(("place", "cruiser", "down", "4", "1"))
    return only_report(now)


def test_hidden_moves_are_drawn_in_each_world_and_tell_nothing() -> None:
    machine = load("battleship_4").machine
    now = situation_of(machine).perform(("place", "boat", "across", "1", "1"))
    assert now.reports == (("sees",),)
    after = only_report(now)
    assert after.weights.sum() == pytest.approx(1.0)
    assert len(np.unique(after.states, axis=0)) > 5
    own = [("ship", "first", "boat", "1", "1"), ("ship", "first", "boat", "2", "1")]
    for state in after.states:
        held = machine.fluent_terms(state)
        assert [term for term in held if term[:2] == ("ship", "first")] == own
        assert sum(term[:2] == ("ship", "second") for term in held) == 2


def test_reports_split_the_worlds_as_the_machine_lets_the_role_see() -> None:
    machine = load("battleship_4").machine
    before = fleet_laid(machine)
    shot = before.perform(("shoot", "2", "2"))
    assert len(shot.reports) == 3
    total = 0.0
    for report in shot.reports:
        after = shot.perform(report)
        total += after.weights.sum()
        for world in np.flatnonzero(after.weights):
            joint = [machine.move_id(RoleId(0), ("shoot", "2", "2"))]
            joint += machine.legal(before.states[world], RoleId(1))
            expected = machine.step(before.states[world], joint)
            assert machine.key(after.states[world]) == machine.key(expected)
            seen = machine.percepts(before.states[world], joint, RoleId(0))
            assert after.seen == tuple(machine.percept_term(RoleId(0), p) for p in seen)
            assert report == ("sees", *after.seen)
    assert total == pytest.approx(1.0)


def test_beliefs_are_the_weights_of_the_worlds_in_which_something_holds() -> None:
    machine = load("battleship_4").machine
    now = fleet_laid(machine)
    cells: dict[GroundTerm, float] = {}
    for world, state in enumerate(now.states):
        for term in machine.fluent_terms(state):
            if term[:2] == ("ship", "second"):
                cells[term[3:]] = cells.get(term[3:], 0.0) + now.weights[world]
    best = max(cells.values())
    found = solutions(now, "likeliest", ("ship", "second", "_", "?x", "?y"))
    assert {(f["?x"], f["?y"]) for f in found} == {
        cell for cell, belief in cells.items() if belief > best - 1e-9
    }
    likely = solutions(now, "likely", ("ship", "second", "_", "?x", "?y"), "40")
    assert {(f["?x"], f["?y"]) for f in likely} == {
        cell for cell, belief in cells.items() if belief >= 0.4
    }
    assert {f["?s"] for f in solutions(now, "known", ("ship", "first", "?s", "_", "_"))} == {
        "boat",
        "cruiser",
    }
    possible = solutions(now, "possible", ("ship", "second", "_", "?x", "?y"))
    assert {(f["?x"], f["?y"]) for f in possible} == set(cells)
    assert solutions(now, "known", ("ship", "second", "_", "?x", "?y")) == []


def test_what_is_known_is_not_the_likeliest() -> None:
    machine = load("battleship_4").machine
    shot = fleet_laid(machine).perform(("shoot", "2", "2"))
    hit = shot.perform(("sees", ("hit", "cruiser")))
    while hit.reports:
        hit = hit.perform(hit.reports[0])
    assert hit.holds(("known", ("ship", "second", "cruiser", "2", "2")))[hit.weights > 0].all()
    found = solutions(hit, "likeliest", ("ship", "second", "cruiser", "?x", "?y"))
    assert found
    assert {"?x": "2", "?y": "2"} not in found


def test_roles_and_percepts_are_told() -> None:
    machine = load("battleship_4").machine
    now = fleet_laid(machine)
    assert solutions(now, "agent", "?r") == [{"?r": "first"}, {"?r": "second"}]
    assert solutions(now, "control", "?r") == [{"?r": "first"}]
    assert solutions(now, "turn", "?r") == [{"?r": "first"}]
    assert len(solutions(now, "can", ("shoot", "?x", "?y"))) == 16
    assert len(solutions(now, "can", ("shoot", "_", "?y"))) == 4
    assert solutions(now, "legal", "second", "?m") == [{"?m": "noop"}]
    shot = now.perform(("shoot", "2", "2")).perform(("sees", ("hit", "boat")))
    assert shot.holds(("seen", ("hit", "boat")))[shot.weights > 0].all()
    assert not shot.holds(("seen", ("hit", "cruiser"))).any()


def test_moves_that_the_role_sees_are_nodes_of_the_plan() -> None:
    machine = load("tic_tac_toe").machine
    now = only_report(situation_of(machine).perform(("mark", "2", "2")))
    assert (now.agent, now.is_controlled, now.reports) == ("o", False, ())
    assert len(solutions(now, "can", ("mark", "?x", "?y"))) == 8
    drawn = only_report(situation_of(machine, drawn=True).perform(("mark", "2", "2")))
    assert drawn.is_controlled
    assert len(drawn.reports) == 1


def test_a_seen_move_that_is_drawn_is_the_same_in_all_worlds() -> None:
    machine = load("tic_tac_toe").machine
    now = situation_of(machine, drawn=True).perform(("mark", "2", "2"))
    after = only_report(only_report(now))
    assert len(np.unique(after.states, axis=0)) == 1
    assert (after.agent, after.step) == ("x", 2)


def test_simultaneous_moves_come_one_after_the_other_and_ours_first() -> None:
    machine = load("simultaneous_tic_tac_toe").machine
    now = situation_of(machine)
    assert now.is_controlled
    move = solutions(now, "can", "?m")[0]["?m"]
    after = now.perform(move)
    assert after.step == 0
    assert (after.agent, after.is_controlled) == ("o", False)
    # What was chosen is not yet made, so the other may still choose the same cell.
    assert solutions(after, "can", "?m") == solutions(now, "legal", "o", "?m")
    assert {"?m": move} in solutions(after, "can", "?m")
    both = after.perform(move)
    assert len(both.reports) == 1
    assert only_report(both).step == 1


def test_chance_is_drawn_by_its_weights() -> None:
    machine = load("kuhn_poker").machine
    model = GameModel(machine, RoleId(machine.roles.index("first")), 3)
    states, weights = worlds_of(
        machine.initial()[None], np.ones(1), 6_000, np.random.default_rng(1)
    )
    now = GameSituation(model, states, weights)
    masses = [now.perform(report).weights.sum() for report in now.reports]
    assert masses == pytest.approx([1 / 3] * 3, abs=0.03), "one card of three"


def test_an_end_is_worth_its_goal() -> None:
    machine = load("tic_tac_toe").machine
    moves = [("1", "1"), ("2", "1"), ("1", "2"), ("2", "2"), ("1", "3")]
    now = situation_of(machine)
    for move in moves:
        now = now.perform(("mark", *move))
        now = now.perform(now.reports[0])
    assert now.is_over
    assert now.evaluate()[now.weights > 0].tolist() == [1.0] * WORLDS


def test_moves_that_cannot_be_made_leave_no_worlds() -> None:
    now = situation_of(load("tic_tac_toe").machine)
    assert now.perform(("mark", "9", "9")).weights.sum() == 0.0
    after = only_report(now.perform(("mark", "1", "1")))
    assert after.perform(("mark", "1", "1")).weights.sum() == 0.0
    assert now.perform(("mark", "1", "1")).perform(("sees", "nothing")).weights.sum() == 0.0


def minimax(machine: Machine, state: State, role: int) -> int:
    if machine.terminal(state):
        return machine.goals(state)[role]
    options = [machine.legal(state, RoleId(r)) for r in (0, 1)]
    mover = 0 if len(options[0]) > 1 else 1
    values = []
    for move in options[mover]:
        joint: list[MoveId] = [options[0][0], options[1][0]]
        joint[mover] = move
        values.append(minimax(machine, machine.step(state, joint), role))
    return max(values) if mover == role else min(values)


@pytest.mark.parametrize("marks", ["1 1/2 2/1 2/1 3", "2 2/1 2/1 1/3 3", "1 1/3 3/1 3/1 2"])
def test_a_plan_by_all_moves_is_worth_what_full_search_says(marks: str) -> None:
    machine = load("tic_tac_toe").machine
    state = machine.initial()
    for step, mark in enumerate(marks.split("/")):
        joint = [machine.legal(state, RoleId(r))[0] for r in (0, 1)]
        joint[step % 2] = machine.move_id(RoleId(step % 2), ("mark", *mark.split()))
        state = machine.step(state, joint)
    network = TaskNetwork(name="all", methods=ANY_MOVE.methods)
    planner = Planner(
        network=network, criterion=criterion("minimax"), limits=TreeLimits(nodes=5_000)
    )
    tree = planner.plan(situation_of(machine, state=state))
    assert tree.is_complete
    assert tree.value == pytest.approx(minimax(machine, state, 0) / 100)


def test_a_method_that_asks_for_what_is_hidden_is_refused() -> None:
    now = fleet_laid(load("battleship_4").machine)
    peek = Method(
        name="peek",
        task=None,
        when=(MethodLiteral(("true", ("ship", "second", "boat", "?x", "?y"))),),
        operator=("shoot", "?x", "?y"),
    )
    with pytest.raises(PlayError, match="PLN020"):
        Planner(network=TaskNetwork(name="peeking", methods=(peek,))).plan(now)


def test_facts_of_a_file_hold_everywhere() -> None:
    network = sound_network(
        Source("n", "(network n)(facts (next 1 2) (next 2 3))(method a (task nil) (do b))")
    )
    machine = load("tic_tac_toe").machine
    model = GameModel(machine, RoleId(0), 7, facts=network.facts)
    states, weights = worlds_of(machine.initial()[None], np.ones(1), 2, np.random.default_rng(1))
    now = GameSituation(model, states, weights)
    assert solutions(now, "next", "?x", "3") == [{"?x": "2"}]
    assert not now.holds(("next", "1", "3")).any()
    assert now.holds(("next", "1", "2")).all()


def test_planning_stops_when_the_clock_is_over() -> None:
    machine = load("tic_tac_toe").machine
    model = GameModel(machine, RoleId(0), 7, budget=Budget.of(seconds=-1.0))
    now = GameSituation(model, machine.initial()[None], np.ones(1))
    assert now.evaluate().tolist() == [0.5]
    assert model.simulated == 0
    with pytest.raises(LimitError, match="PLN018"):
        now.perform(("mark", "1", "1"))


def test_few_states_are_all_there_and_many_are_drawn_by_weight() -> None:
    states = np.arange(3, dtype=np.uint64)[:, None]
    shares = np.array([0.5, 0.3, 0.2])
    found, weights = worlds_of(states, shares, 7, np.random.default_rng(0))
    assert found[:, 0].tolist() == [0, 1, 2, 0, 1, 2]
    assert weights.tolist() == pytest.approx([0.25, 0.15, 0.1] * 2)
    many = np.arange(1_000, dtype=np.uint64)[:, None]
    belief = np.where(np.arange(1_000) < 100, 9.0, 1.0)
    found, weights = worlds_of(many, belief, 180, np.random.default_rng(0))
    assert weights.tolist() == [1 / 180] * 180
    assert abs((found < 100).sum() - 90) <= 1
