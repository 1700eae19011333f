"""Faults of game classes are found, and told with their lines; machines of classes keep order."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Hashable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from faulty_games import (
    Changes,
    ChangesUnseen,
    Counter,
    Drawn,
    Draws,
    Endless,
    Endlessly,
    Halves,
    Leaves,
    Lists,
    Loops,
    Misnamed,
    Negative,
    NoNumber,
    Numbers,
    OneText,
    PaysOne,
    Plain,
    Raises,
    RaisesLate,
    Recurses,
    Remembers,
    SeesNothing,
    SeesNumber,
    SeesPairs,
    SeesPlaces,
    SeesText,
    SeesTruth,
    SeesWords,
    Steps,
    Stuck,
    Tells,
    TooFewArguments,
    Twice,
    Unkept,
    Vanishing,
    Weights,
    WithoutEnd,
    Zero,
)
from fogspiel.core.findings import FogspielError, LimitError, PlayError, Severity
from fogspiel.core.terms import RoleId
from fogspiel.games.python_classes import class_rules, game_of_class
from fogspiel.games.python_game import PythonGame
from fogspiel.machine.python.machine import PythonMachine
from fogspiel.machine.python.purity import play_faults

FAULTS: dict[type[PythonGame], tuple[str, str, str]] = {
    Raises: ("GAM008", "Raises.next failed: KeyError", "# the line"),
    TooFewArguments: ("GAM008", "TypeError", "# the fault"),
    RaisesLate: ("GAM008", "ZeroDivisionError", "# the line"),
    Lists: ("GAM010", "unhashable", "def initial"),
    Plain: ("GAM010", "equals nothing but itself", "def initial"),
    Changes: ("GAM011", "changed the state", "def next"),
    ChangesUnseen: ("GAM011", "changed the state", "def next"),
    OneText: ("GAM009", "'pass', no list of moves", "def legal"),
    Numbers: ("GAM009", "3.5 is no move", "def legal"),
    Twice: ("GAM009", "gives the move 1 twice", "def legal"),
    WithoutEnd: ("GAM009", "more than 100,000 moves", "def legal"),
    Loops: ("GAM016", "more than 0.3 seconds", "# the line"),
    Negative: ("GAM013", "the weight of 'tails' is -1", "def chance"),
    Zero: ("GAM013", "the weight of 'tails' is 0", "def chance"),
    NoNumber: ("GAM013", "the weight of 'tails' is '2'", "def chance"),
    Endlessly: ("GAM013", "the weight of 'heads' is inf", "def chance"),
    Vanishing: ("GAM013", "the weight of 'edge' is 5e-324, too little", "def chance"),
    Drawn: ("GAM009", "0.5 is no move", "def chance"),
    SeesNumber: ("GAM009", "3.5 is no move or percept", "def percepts"),
    SeesNothing: ("GAM009", "None is no move or percept", "def percepts"),
    SeesText: ("GAM009", "'a card', no list of percepts", "def percepts"),
    SeesWords: ("GAM009", "'a card' is no move or percept", "def percepts"),
    SeesPairs: ("GAM009", "{'card': 3}, no list of percepts", "def percepts"),
    SeesTruth: ("GAM009", "True is no move or percept", "def percepts"),
    SeesPlaces: ("GAM009", "(1, 2) is no move or percept", "def percepts"),
    Leaves: ("GAM008", "Leaves.next failed: SystemExit: 3", "# the line"),
    Recurses: ("GAM008", "Recurses.next failed: RecursionError", "# the line"),
    Halves: ("GAM014", "0.5, which is no whole multiple", "def payoffs"),
    PaysOne: ("GAM014", "it pays a; the players are a, b", "def payoffs"),
}
"""Faults that show at once: the code, the message, and the line that is shown."""
HIDDEN_FAULTS: dict[type[PythonGame], tuple[str, str, str]] = {
    Unkept: ("GAM010", "unhashable type: 'set'", "def next"),
    Tells: ("GAM009", "in Tells.fluents: 0.0 is no move or percept", "def fluents"),
    Draws: ("GAM012", "Draws.next was asked twice", "def next"),
    Remembers: ("GAM012", "Remembers.legal was asked twice", "def legal"),
    Stuck: ("DYN002", "nobody has a move", "def legal"),
    Endless: ("DYN001", "did not end within", "def next"),
    Misnamed: ("GAM017", "`percept` and no method `percepts`", "def percept"),
}
"""Faults that only a check finds."""


def machine_of(own: type[PythonGame]) -> PythonMachine:
    return PythonMachine(class_rules(game_of_class(own, {})))


def assert_told(finding: Any, expected: tuple[str, str, str]) -> None:
    code, message, line = expected
    assert finding.code == code
    assert message in finding.message
    assert finding.source is not None
    assert finding.span is not None
    at = finding.source.position(finding.span.start).line
    assert line in finding.source.line_text(at)


@pytest.mark.parametrize("own", FAULTS, ids=lambda own: own.__name__)
def test_a_fault_is_told_with_its_line_when_the_game_is_made(own: type[PythonGame]) -> None:
    with pytest.raises(FogspielError) as raised:
        machine_of(own)
    assert_told(raised.value.findings[0], FAULTS[own])


@pytest.mark.parametrize("own", [*FAULTS, *HIDDEN_FAULTS], ids=lambda own: own.__name__)
def test_a_check_finds_it(own: type[PythonGame]) -> None:
    (finding,) = play_faults(class_rules(game_of_class(own, {})), playouts=20, seed=1)
    assert_told(finding, (FAULTS | HIDDEN_FAULTS)[own])


@pytest.mark.parametrize(
    ("weights", "shares"),
    [
        ({"heads": Decimal("0.25"), "tails": Decimal("0.75")}, [0.25, 0.75]),
        ({"heads": 10**400, "tails": 3 * 10**400}, [0.25, 0.75]),
        ({"heads": 1e308, "tails": 1e308}, [0.5, 0.5]),
        ({"heads": Fraction(1, 3), "tails": 1}, [0.25, 0.75]),
    ],
)
def test_weights_are_numbers_in_any_unit(weights: dict[str, Any], shares: list[float]) -> None:
    class Weighed(Weights):
        pass

    Weighed.weights = weights
    machine = machine_of(Weighed)
    assert machine.chance_weights(machine.initial()).tolist() == shares


def test_a_state_without_a_hash_is_told_when_it_is_reached() -> None:
    machine = machine_of(Unkept)
    start = machine.initial()
    with pytest.raises(PlayError, match="GAM010"):
        machine.step(start, [machine.legal(start, RoleId(role))[0] for role in (0, 1)])


def test_a_check_finds_nothing_in_a_sound_game() -> None:
    assert play_faults(class_rules(Steps()), playouts=20, seed=1) == []


def test_a_fault_that_hurts_nobody_is_a_warning() -> None:
    (finding,) = play_faults(class_rules(Misnamed()), playouts=1, seed=1)
    assert finding.severity is Severity.WARNING


class Falls(Steps):
    """Goes wrong where the first steps do not lead."""

    def initial(self) -> Any:
        return (0, 0)

    def legal(self, state: Any, role: str) -> Any:
        return list(range(40)) if state[0] < 3 else []

    def next(self, state: Any, joint: Any) -> Any:
        if state == (2, 78):
            return [1 / 0]
        return state[0] + 1, state[1] + joint["a"]


def test_a_fault_in_a_playout_is_told_like_any_other() -> None:
    machine = machine_of(Falls)
    start = machine.state_with((2, 78))
    with pytest.raises(PlayError, match=r"GAM008 error: Falls.next failed: ZeroDivisionError"):
        machine.playouts(start[None, :], seed=1, count=1)


def test_a_change_in_a_playout_is_told() -> None:
    class ChangesLate(Changes):
        def next(self, state: Any, joint: Any) -> Any:
            if joint["a"] == "left":
                return super().next(state, joint)
            after = Counter()
            after.count = state.count + 1
            return after

        def legal(self, state: Any, role: str) -> Any:
            return super().legal(state, role) if self.is_late else ["right"] * (state.count < 3)

        is_late = False

    machine = machine_of(ChangesLate)
    machine.rules.game.is_late = True  # type: ignore[attr-defined]  # its own
    with pytest.raises(PlayError, match="GAM011"):
        machine.playouts(machine.initial()[None, :], seed=1, count=40)


def test_states_beyond_the_limit_are_refused() -> None:
    class Large(Steps):
        max_states = 50

        def legal(self, state: Any, role: str) -> Any:
            return ["on"]

    machine = machine_of(Large)
    state = machine.initial()
    joint = [machine.legal(state, RoleId(role))[0] for role in (0, 1)]
    for _ in range(49):
        state = machine.step(state, joint)
    with pytest.raises(LimitError, match="GAM015"):
        machine.step(state, joint)
    assert machine.states_met == 50


def test_playouts_keep_no_states() -> None:
    machine = machine_of(Steps)
    before = machine.states_met
    machine.playouts(machine.initial()[None, :], seed=1, count=50)
    assert machine.states_met == before


def test_an_illegal_move_is_refused() -> None:
    machine = machine_of(Steps)
    wrong = machine.move_id(RoleId(0), "up")
    with pytest.raises(PlayError, match="MCH001"):
        machine.step(machine.initial(), (wrong, machine.legal(machine.initial(), RoleId(1))[0]))


def test_a_number_of_no_state_is_refused() -> None:
    with pytest.raises(PlayError, match="MCH016"):
        machine_of(Steps).terminal(np.array([99], np.uint64))


def test_facts_about_a_state_are_its_fields() -> None:
    machine = machine_of(Steps)
    assert machine.fluent_terms(machine.initial()) == (("state", "0"),)
    rows = machine.fluent_rows(machine.initial()[None, :])
    assert machine.fluent_terms(rows[0]) == (("state", "0"),)
    assert machine.value_of(machine.state_of([("state", "0")])) == 0
    with pytest.raises(PlayError, match="MCH005"):
        machine.state_of([("state", "7")])


class Sets(Steps):
    """Moves come in sets, whose order is another in each process."""

    def legal(self, state: Hashable, role: str) -> Any:
        return {("go", place) for place in "abcdefgh"} if state in {0, 1, 2} else set()


PROGRAM = """
import sys
sys.path[:0] = sys.argv[1:]
from test_python_machine import Sets, machine_of
machine = machine_of(Sets)
print(machine.playouts(machine.initial()[None, :], seed=1, count=20).goal_sums.tolist())
print([machine.move_term(0, move) for move in machine.legal(machine.initial(), 0)])
"""


def test_numbers_and_playouts_do_not_depend_on_the_process() -> None:
    folder = Path(__file__).parent
    said = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM, str(folder), str(folder.parent)],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in (1, 2)
    }
    assert len(said) == 1
