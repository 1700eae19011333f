"""Turns left to `control`: which sheets are read so, and that nothing but turns changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from fogspiel.core.findings import Severity, errors_in
from fogspiel.core.source import Source
from fogspiel.core.terms import RoleId, format_term
from fogspiel.games.load import load, load_source
from fogspiel.games.making import EngineChoice
from fogspiel.machine.protocol import Machine, State
from fogspiel.rules.gdl.check.checks import check
from fogspiel.rules.gdl.normalise.normalise import normalise
from fogspiel.rules.gdl.read import read_description, read_file

# Two roles take turns to paint one of three stones; the one who paints the last wins.
STONES = """
role(red). role(blue). stone(1). stone(2). stone(3).
init(control(red)).
next(control(R)) :- role(R), true(control(S)), distinct(R, S).
next(painted(N)) :- does(R, paint(N)).
next(painted(N)) :- true(painted(N)).
next(last(R)) :- does(R, M).
next(idle(R)) :- role(R), not does(R, M).
open :- stone(N), not true(painted(N)).
terminal :- not open.
goal(R, 100) :- true(last(R)).
goal(R, 0) :- role(R), not true(last(R)).
"""
RED, BLUE = RoleId(0), RoleId(1)
PAINT = "legal(R, paint(N)) :- role(R), stone(N), not true(painted(N)).\n"
SPARED = "".join(f"spared(R, {n}) :- role(R), true(painted({n})).\n" for n in (1, 2, 3))


def codes_of(text: str) -> set[str]:
    description, findings = read_description(Source("rules.gdl", text))
    findings += check(description)
    assert errors_in(findings) == []
    return {finding.code for finding in findings}


def machine_of(text: str, engine: EngineChoice = "reference") -> Machine:
    return load_source(Source("rules.gdl", text), engine=engine).machine


def moves(machine: Machine, state: State) -> list[list[str]]:
    return [
        [format_term(machine.move_term(role, move)) for move in machine.legal(state, role)]
        for role in (RED, BLUE)
    ]


def after(machine: Machine, state: State, *joint: str) -> State:
    options = moves(machine, state)
    legal = [machine.legal(state, role) for role in (RED, BLUE)]
    return machine.step(state, [legal[r][options[r].index(name)] for r, name in enumerate(joint)])


def fluents(machine: Machine, state: State) -> set[str]:
    return set(map(format_term, machine.fluent_terms(state)))


@pytest.mark.parametrize("engine", ["reference", "compiled"])
def test_only_the_role_in_control_moves_and_the_others_wait(engine: EngineChoice) -> None:
    machine = machine_of(STONES + PAINT, engine)
    state = machine.initial()
    assert moves(machine, state) == [["(paint 1)", "(paint 2)", "(paint 3)"], ["noop"]]
    state = after(machine, state, "(paint 2)", "noop")
    assert moves(machine, state) == [["noop"], ["(paint 1)", "(paint 3)"]]


@pytest.mark.parametrize("engine", ["reference", "compiled"])
def test_no_rule_notices_that_a_role_waits(engine: EngineChoice) -> None:
    machine = machine_of(STONES + PAINT, engine)
    state = after(machine, machine.initial(), "(paint 2)", "noop")
    assert fluents(machine, state) == {
        "(control blue)", "(painted 2)", "(last red)", "(idle blue)",
    }  # fmt: skip


def test_the_warning_stands_at_the_first_rule_of_legal() -> None:
    description, _ = read_description(Source("rules.gdl", STONES + PAINT))
    (finding,) = [f for f in check(description) if f.code == "GDL059"]
    assert finding.severity is Severity.WARNING
    assert finding.span is not None
    assert description.source.position(finding.span.start) == (13, 1)


def test_a_move_named_noop_stays_what_it_was() -> None:
    machine = machine_of(STONES + PAINT + "legal(R, noop) :- role(R).")
    red, blue = moves(machine, machine.initial())
    assert sorted(red) == ["(paint 1)", "(paint 2)", "(paint 3)", "noop"]
    assert blue == ["noop_2"]
    state = after(machine, machine.initial(), "noop", "noop_2")
    assert fluents(machine, state) == {"(control blue)", "(last red)", "(idle blue)"}


def test_rules_that_ask_for_legal_mean_it_as_written() -> None:
    asking = "next(able(R)) :- role(R), legal(R, M).\nnext(heard(R, M)) :- legal(R, M), does(R, M)."
    machine = machine_of(STONES + PAINT + asking)
    state = after(machine, machine.initial(), "(paint 1)", "noop")
    assert {"(able red)", "(able blue)", "(heard red (paint 1))"} <= fluents(machine, state)
    assert "(heard blue noop)" not in fluents(machine, state)


def test_chance_waits_as_well() -> None:
    machine = machine_of(STONES.replace("blue", "random") + PAINT)
    assert machine.chance_role == BLUE
    assert moves(machine, machine.initial())[1] == ["noop"]


def test_where_all_are_in_control_all_move() -> None:
    both = STONES.replace("true(control(S)), distinct(R, S)", "true(control(R))")
    machine = machine_of(both + PAINT + "init(control(blue)).")
    state = after(machine, machine.initial(), "(paint 1)", "(paint 2)")
    assert moves(machine, state) == [["(paint 3)"], ["(paint 3)"]]


def test_a_role_that_waits_sees_the_joint_move() -> None:
    machine = machine_of(STONES + PAINT)
    state = machine.initial()
    joint = [machine.legal(state, role)[0] for role in (RED, BLUE)]
    seen = [machine.percept_term(BLUE, p) for p in machine.percepts(state, joint, BLUE)]
    assert sorted(map(format_term, seen)) == ["(does blue noop)", "(does red (paint 1))"]


def test_control_may_be_a_detail_of_one_obstacle_among_several() -> None:
    legal = "legal(R, paint(N)) :- role(R), stone(N), not spared(R, N).\n"
    hint = "spared(R, 3) :- true(control(R)), not true(painted(1)), not true(painted(2)).\n"
    assert "GDL059" in codes_of(STONES + legal + SPARED + hint)


@pytest.mark.parametrize(
    "legal",
    [
        # The common way, and the ways around a relation or a negation.
        PAINT.replace("role(R)", "true(control(R))") + "legal(R, wait) :- role(R).",
        "legal(R, paint(N)) :- turn(R), stone(N).\nturn(R) :- true(control(R)).",
        "legal(R, paint(N)) :- may(R), stone(N).\nmay(R) :- true(control(R)).\nmay(red).",
        "legal(R, paint(N)) :- role(R), stone(N), not out(R).\n"
        "out(R) :- role(R), not true(control(R)).",
        # Whatever is true, control included.
        PAINT + "legal(R, see(F)) :- role(R), true(F).",
        # Moves that are compared are made at once.
        PAINT + "next(clash(N)) :- does(red, paint(N)), does(blue, paint(N)).",
        PAINT + "next(first(N)) :- does(R, paint(N)), role(S), distinct(R, S), not does(S, M).",
        # Something that is no role is in control.
        PAINT + "init(control(nobody)).",
        PAINT + "next(control(seat(R))) :- role(R).",
    ],
)
def test_other_sheets_are_left_as_they_are(legal: str) -> None:
    assert "GDL059" not in codes_of(STONES + legal)
    description, _ = read_description(Source("rules.gdl", STONES + legal))
    heads = {clause.head.predicate for clause in normalise(description).clauses}
    assert "legal_as_written" not in heads


@pytest.mark.parametrize(
    ("removed", "added"),
    [
        ("init(control(red)).", "init(control2(red))."),
        ("next(control(R)) :- role(R), true(control(S)), distinct(R, S).", ""),
        ("true(control(S)), distinct(R, S)", "true(painted(1))"),
    ],
)
def test_control_must_be_kept_and_used(removed: str, added: str) -> None:
    assert removed in STONES
    assert "GDL059" not in codes_of(STONES.replace(removed, added) + PAINT)


def test_of_the_public_sheets_just_those_of_one_hand_leave_turns_to_control(corpus: Path) -> None:
    paths = sorted(p for p in corpus.glob("gdl[12]/*") if p.suffix in {".kif", ".gdl"})
    # Every sheet by that hand, the one that is like them but simultaneous, and a sample of others.
    wanted = [p for n, p in enumerate(paths) if _is_suspect(p.name) or n % 25 == 0]
    found = {p.name for p in wanted if _is_read_by_control(p)}
    assert found == {
        p.name for p in wanted if p.name.startswith("pyggp__") and "scissors" not in p.name
    }
    assert len(found) == 18


def _is_suspect(name: str) -> bool:
    return name.startswith("pyggp__") or "chickentoetictac" in name


def _is_read_by_control(path: Path) -> bool:
    description, _ = read_description(read_file(path))
    return any(finding.code == "GDL059" for finding in check(description))


@pytest.mark.parametrize(
    "name", ["gdl1/pyggp__hexapawn", "gdl2/pyggp__phantom_split_corridor(3,4)"]
)
def test_a_public_sheet_is_played_without_getting_stuck(corpus: Path, name: str) -> None:
    machine = load(str(corpus / f"{name}.infix.gdl"), engine="compiled").machine
    playouts = machine.playouts(machine.initial()[None], seed=1, count=1000)
    assert playouts.stuck == 0


def test_random_tic_tac_toe_has_its_usual_goals(corpus: Path) -> None:
    path = corpus / "gdl1/pyggp__tic_tac_toe.infix.gdl"
    machine = load(str(path), engine="compiled").machine
    playouts = machine.playouts(machine.initial()[None], seed=1, count=100_000)
    # By enumeration of all games; the standard error of the mean is 0.14.
    assert playouts.mean_goals == pytest.approx([64.841, 35.159], abs=0.6)
    assert playouts.stuck == 0
