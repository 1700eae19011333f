"""Wrong limits, unknown names and games that are too large: errors that say what would do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fogspiel as fs


@pytest.fixture(scope="module")
def open_game() -> fs.Game:
    """Solved by its states, where no limit is looked at."""
    return fs.load("biased_rps")


NAN = float("nan")
PAIR = ("random", "random")
WRONG: list[tuple[str, Callable[[fs.Game], Any]]] = [
    ("seconds must be more than 0; got -1", lambda game: game.solve(seconds=-1)),
    ("seconds must be more than 0; got nan", lambda game: game.solve(seconds=NAN)),
    ("iterations must be at least 1; got 0", lambda game: game.solve("cfr", iterations=0)),
    ("target must be at least 0; got nan", lambda game: game.solve(target=NAN)),
    ("target must be at least 0; got -0.1", lambda game: game.solve(target=-0.1)),
    ("max_nodes must be at least 1; got 0", lambda game: game.solve(max_nodes=0)),
    ("seed must be at least 0; got -1", lambda game: game.solve(seed=-1)),
    ("max_nodes must be at least 1; got -5", lambda game: game.tree(max_nodes=-5)),
    ("max_nodes must be at least 1; got 0", lambda game: game.analyze(max_nodes=0)),
    ("seconds must be more than 0; got 0", lambda game: game.analyze(seconds=0)),
    ("max_nodes must be at least 1; got 0", lambda game: game.compare(game, max_nodes=0)),
    ("draws must be at least 1; got 0", lambda game: game.induce("random", draws=0)),
    ("seed must be at least 0; got -2", lambda game: game.induce("random", seed=-2)),
    ("count must be at least 1; got 0", lambda game: game.playouts(0)),
    ("seed must be at least 0; got -1", lambda game: game.playouts(5, seed=-1)),
    ("max_steps must be at least 1; got 0", lambda game: game.playouts(5, max_steps=0)),
]
WRONG += [
    ("simulations must be at least 1; got 0", lambda game: game.match(*PAIR, simulations=0)),
    ("seed must be at least 0; got -1", lambda game: game.match(*PAIR, seed=-1)),
    ("games must be at least 1; got 0", lambda game: game.series(*PAIR, games=0)),
    ("games must be at least 1; got -2", lambda game: game.series(*PAIR, games=-2)),
]
BELIEFS: list[tuple[str, Callable[[fs.View], Any]]] = [
    ("seconds must be more than 0; got -1", lambda view: view.belief(seconds=-1)),
    ("seconds must be more than 0; got nan", lambda view: view.belief(seconds=NAN)),
    ("max_histories must be at least 1; got 0", lambda view: view.belief(max_histories=0)),
    ("memory_mb must be at least 1; got 0", lambda view: view.belief(memory_mb=0)),
    ("seed must be at least 0; got -3", lambda view: view.belief(seed=-3)),
    ("count must be at least 1; got 0", lambda view: view.belief().sample(0)),
    ("seed must be at least 0; got -1", lambda view: view.belief().sample(1, seed=-1)),
    ("count must be at least 1; got -1", lambda view: view.belief().weighted_sample(-1)),
    ("limit must be at least 1; got 0", lambda view: view.belief().enumerate(0)),
]


@pytest.mark.parametrize(("told", "ask"), WRONG)
def test_a_wrong_limit_is_a_value_error_that_names_it(
    kuhn: fs.Game, told: str, ask: Callable[[fs.Game], Any]
) -> None:
    with pytest.raises(ValueError, match=f"^{told}$"):
        ask(kuhn)


@pytest.mark.parametrize(("told", "ask"), BELIEFS)
def test_a_wrong_limit_of_a_belief_is_refused(
    kuhn: fs.Game, told: str, ask: Callable[[fs.View], Any]
) -> None:
    with pytest.raises(ValueError, match=f"^{told}$"):
        ask(kuhn.view("first"))


@pytest.mark.parametrize(
    "limits", [{"seconds": -1}, {"target": NAN}, {"iterations": 0}, {"max_nodes": 0}]
)
def test_limits_are_looked_at_also_where_states_are_solved(
    open_game: fs.Game, limits: dict[str, Any]
) -> None:
    with pytest.raises(ValueError, match="must be"):
        open_game.solve(**limits)


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda game: game.playouts(10.5), "count must be a whole number; got 10.5"),
        (lambda game: game.playouts(True), "count must be a whole number; got True"),
        (lambda game: game.solve(seed="a"), "seed must be a whole number; got 'a'"),
        (lambda game: game.analyze(seconds="5"), "seconds must be a number; got '5'"),
        (lambda game: game.view("first").belief(seconds="5"), "seconds must be a number"),
    ],
)
def test_what_is_no_number_is_a_type_error(
    kuhn: fs.Game, ask: Callable[[fs.Game], Any], told: str
) -> None:
    with pytest.raises(TypeError, match=told):
        ask(kuhn)


@pytest.mark.parametrize(
    ("ask", "code", "fix"),
    [
        (lambda game: game.solve("magic"), "SOL030", "use one of auto, cfr,"),
        (lambda game: game.solve("mccfr-extern"), "SOL030", "did you mean mccfr-ext"),
        (lambda game: game.solve("induction"), "SOL031", "use cfr,"),
        (lambda game: game.view("first").belief("magic"), "BEL004", "use one of auto, exact,"),
        (lambda game: game.induce("nobody", simulations=1), "PLY002", ""),
        (lambda game: game.induce("random", simulations=1, seconds=1), "MAT004", "give either"),
        (lambda game: game.induce("human", simulations=1), "PLY003", ""),
    ],
)
def test_an_unknown_method_is_told_with_the_known_ones(
    kuhn: fs.Game, ask: Callable[[fs.Game], Any], code: str, fix: str
) -> None:
    with pytest.raises(fs.UsageError) as caught:
        ask(kuhn)
    (finding,) = caught.value.findings
    assert finding.code == code
    assert fix in finding.fix


@pytest.mark.parametrize(
    "ask",
    [
        lambda game: game.tree(max_nodes=20),
        lambda game: game.solve("lp", max_nodes=20),
        lambda game: game.evaluate({}, max_nodes=20),
        lambda game: game.exploitability({}, max_nodes=20),
        lambda game: game.best_response({}, "first", max_nodes=20),
        lambda game: game.induce("random", simulations=1, max_nodes=20),
        lambda game: game.compare(game, max_nodes=20),
    ],
)
def test_a_tree_that_is_too_large_is_a_limit(kuhn: fs.Game, ask: Callable[[fs.Game], Any]) -> None:
    with pytest.raises(fs.LimitError, match="TRE001 error: the tree of this game has more than 20"):
        ask(kuhn)


def test_a_strategy_that_does_not_sum_to_one_is_named_with_its_place(kuhn: fs.Game) -> None:
    with pytest.raises(fs.UsageError, match=r"API006.*the probabilities sum to 0.9") as caught:
        kuhn.evaluate(lambda view: {"bet": 0.5, "pass": 0.4})
    assert "noop: (holds first" in str(caught.value)


def test_a_view_that_cannot_be_names_the_step(kuhn: fs.Game) -> None:
    card = ("noop", ["(holds first queen)"])
    with pytest.raises(fs.PlayError, match=r"BEL001.*step 2 is impossible"):
        kuhn.view("first", [card, card]).belief()


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda game: game.history([5]), "a joint move is a mapping .* got 5"),
        (lambda game: game.history(["noop"]), "a joint move is a mapping .* got 'noop'"),
        (lambda game: game.history([[0, "noop", "noop"]]), "texts or ids, not both"),
        (lambda game: game.begin().play(5), "moves are a mapping .* got 5"),
        (lambda game: game.begin().play(["(deal king)"]), "moves are a mapping"),
        (lambda game: game.view("first", ["noop"]), "a step is a move and a list .* got 'noop'"),
        (lambda game: game.view("first", [("noop",)]), "a step is a move and a list"),
        (lambda game: game.view("first").after("noop", "(holds first king)"), "list of percepts"),
        (lambda game: game.view("first").after("noop", 5), "list of percepts; got 5"),
        (lambda game: game.view("first").belief(5), "the name of a method is a text; got 5"),
        (lambda game: game.view("first").belief().probability(5), "an event is a fact"),
        (lambda game: game.solve(None), "the name of a method is a text; got None"),
        (lambda game: game.solve("cfr", iterations=2.5), "iterations must be a whole number"),
        (lambda game: game.solve(target="small"), "target must be a number; got 'small'"),
        (lambda game: game.series(*PAIR, games=1.5), "games must be a whole number; got 1.5"),
        (lambda game: game.match(5, 6), "a player is a name, .* got int"),
        (lambda game: game.induce(5), "a player is a name, .* got int"),
        (lambda game: game.induce(dict), "dict is no subclass of fogspiel.Player"),
        (lambda game: game.state("(turn open)"), "a state is a list of facts"),
        (lambda game: game.state(5), "a state is a list of facts, or a row of bits; got 5"),
        (lambda game: fs.load("nim", ground_seconds="5"), "ground_seconds must be a number"),  # type: ignore[arg-type]
    ],
)
def test_what_has_another_type_is_told_with_what_was_expected(
    kuhn: fs.Game, ask: Callable[[fs.Game], Any], told: str
) -> None:
    with pytest.raises(TypeError, match=told):
        ask(kuhn)


@pytest.mark.parametrize("role", [5, None, ["first"], "third"])
def test_what_is_no_role_is_told_with_the_roles(kuhn: fs.Game, role: Any) -> None:
    for ask in (kuhn.view, kuhn.begin().view, kuhn.best_response_to_uniform):
        with pytest.raises(fs.UsageError, match="API001") as caught:
            ask(role)
        assert "its roles are random, first, second" in str(caught.value)


@pytest.mark.parametrize(
    "ask",
    [
        lambda tree, array: tree.reach(array),
        lambda tree, array: tree.node_values(array),
        lambda tree, array: tree.action_values(array),
        lambda tree, array: tree.own_reach(array),
        lambda tree, array: tree.normalised(array),
    ],
)
def test_arrays_of_another_shape_are_refused(
    kuhn: fs.Game, ask: Callable[[fs.Tree, Any], Any]
) -> None:
    tree = kuhn.tree()
    for wrong in (np.ones(3), np.ones((12, 2)), 1.0):
        with pytest.raises(ValueError, match=r"has the shape \(24,\); got"):
            ask(tree, wrong)
    assert np.isfinite(ask(tree, [0.5] * 24)).all()


def test_weights_below_zero_are_refused(kuhn: fs.Game) -> None:
    tree = kuhn.tree()
    for wrong in (-1.0, NAN):
        with pytest.raises(ValueError, match="at least 0"):
            tree.normalised(np.full(24, wrong))


@pytest.mark.parametrize("number", [-1, 12])
def test_an_information_set_that_is_not_there_is_an_index_error(kuhn: fs.Game, number: int) -> None:
    for ask in (kuhn.tree().view, kuhn.tree().actions):
        with pytest.raises(IndexError, match=f"from 0 to 11; got {number}"):
            ask(number)


def test_bits_of_another_game_are_no_state(kuhn: fs.Game) -> None:
    row = kuhn.begin().state.bits
    assert kuhn.state(row.copy()) == kuhn.begin().state
    for wrong in (np.zeros(50, np.uint64), row.astype(np.float64), row[None, :]):
        with pytest.raises(ValueError, match="the bits of a state are whole numbers"):
            kuhn.state(wrong)


@pytest.mark.parametrize(
    ("limits", "told"), [({"seed": -1}, "seed"), ({"seed": 1, "steps": -1}, "steps")]
)
def test_random_play_refuses_wrong_limits(kuhn: fs.Game, limits: Any, told: str) -> None:
    with pytest.raises(ValueError, match=f"{told} must be at least 0; got -1"):
        kuhn.begin().play_out(**limits)


def test_rows_are_counted_from_none(kuhn: fs.Game) -> None:
    solution = kuhn.solve("lp")
    assert solution.rows("first", 0) == []
    with pytest.raises(ValueError, match="most must be at least 0; got -3"):
        solution.rows("first", -3)
    with pytest.raises(fs.UsageError, match="API001"):
        solution.rows("third", 3)
