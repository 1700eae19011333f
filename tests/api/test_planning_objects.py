"""Planning by public objects: methods, problems of sets of atoms, and plans that are followed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import fogspiel as fs

GUESS = """
(network guess)
(method left (task nil) (when (turn ?p)) (do (open ?p left)))
(method right (task nil) (when (turn ?p)) (do (open ?p right)))
"""
OPEN = {
    "move": "(open ?who ?door)",
    "add": ["(opened ?door)", "(turn nobody)"],
    "delete": ["(turn ?who)"],
}
KNOWN = ["(agent me)", "(control me)", "(turn me)"]


def found(state: frozenset[str]) -> float | None:
    """Whether the prize is behind the door that was opened."""
    if "(turn nobody)" not in state:
        return None
    return float(
        any(f"(opened {d})" in state and f"(prize {d})" in state for d in ("left", "right"))
    )


def operator() -> fs.planning.Operator:
    return fs.planning.Operator(OPEN["move"], add=OPEN["add"], delete=OPEN["delete"])  # type: ignore[arg-type]


def test_listed_states_count_by_their_weights() -> None:
    doors = fs.planning.Problem(
        [operator()],
        true=KNOWN,
        objective=found,
        states=[(["(prize left)"], 1.0), (["(prize right)"], 3.0)],
    )
    plan = fs.planning.Methods.read(GUESS).plan(doors.start())
    assert plan.value == pytest.approx(0.75)
    assert plan.move == "(open me right)"
    assert plan.schemes == ("right",)
    assert plan.complete


def test_a_given_number_of_atoms_holds() -> None:
    """Two of three cards are West's, of which the planner names one: two ways in three."""
    problem = fs.planning.Problem(
        [operator()],
        true=KNOWN,
        choices=[[f"(west {card})", f"(east {card})"] for card in ("a", "b", "c")],
        counts=[(["(west a)", "(west b)", "(west c)"], 2)],
        objective=lambda state: float("(west a)" in state) if "(turn nobody)" in state else None,
    )
    plan = fs.planning.Methods.read(GUESS).plan(problem.start())
    assert plan.value == pytest.approx(2 / 3)


def test_preconditions_may_be_negative() -> None:
    closed = fs.planning.Operator(
        "(open ?who ?door)", when=["(not (opened ?door))"], add=OPEN["add"], delete=[]
    )
    start = fs.planning.Problem([closed], true=KNOWN, objective=found).start()
    again = start.play("(open me left)")
    assert again.over
    assert not again.situation.perform(("open", "me", "left")).weights.any()


def test_a_plan_of_a_game_comes_from_a_view() -> None:
    game = fs.load("tic_tac_toe")
    methods = fs.planning.Methods.read(
        "(network any (others drawn)) (method any (task nil) (when (can ?m)) (do ?m))", game=game
    )
    start = game.begin()
    for move in ("(mark 1 1)", "(mark 2 1)", "(mark 2 2)", "(mark 3 1)"):
        start = start.play(move)
    plan = methods.plan(start.view("x"), simulations=2000, seed=1)
    assert plan.move in start.legal["x"]
    assert plan.value == 1.0
    assert str(plan).startswith("The plan is worth 1.000")
    assert repr(plan).startswith("Plan(worth 1, ")


def test_methods_with_words_that_the_game_does_not_have_are_refused() -> None:
    text = "(network n) (method m (task nil) (when (true (shp ?x))) (do (mark ?x ?x)))"
    with pytest.raises(fs.RulesError, match="PLN015"):
        fs.planning.Methods.read(text, game=fs.load("tic_tac_toe"))
    assert fs.planning.Methods.read(text).names == ("m",)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: fs.planning.Methods.read(GUESS).plan(_start(), criterion="best"), "PLN022"),
        (lambda: fs.planning.Operator("(open ?who"), "API005"),
        (lambda: fs.planning.Operator("open"), "needs an agent"),
        (lambda: fs.planning.Operator("(open ?who)", add=["(opened ?door)"]), "no parameter of it"),
        (lambda: _start().play("(close me left)"), "PLN026"),
    ],
)
def test_what_is_wrong_is_told(make: Callable[[], object], told: str) -> None:
    with pytest.raises((ValueError, fs.PlayError), match=told):
        make()


def _start() -> fs.planning.Position:
    return fs.planning.Problem([operator()], true=KNOWN, objective=found).start()
