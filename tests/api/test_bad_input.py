"""Wrong limits, unknown names and games that are too large: errors that say what would do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import fogspiel as fs


@pytest.fixture(scope="module")
def kuhn() -> fs.Game:
    return fs.load("kuhn_poker")


@pytest.fixture(scope="module")
def open_game() -> fs.Game:
    """Solved by its states, where no limit is looked at."""
    return fs.load("biased_rps")


NAN = float("nan")
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
