"""Analyses, comparisons, induced strategies and best responses, against known values."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from kuhn_values import KUHN_VALUE, uniform

import fogspiel as fs
from fogspiel.api.analysis.analysis import analyze
from fogspiel.api.analysis.induced import induce
from fogspiel.api.solving import Stage


def passes(view: fs.View) -> dict[str, float]:
    return {"pass": 1.0}


class First(fs.Player):
    """Always makes its first legal move."""

    def choose(self, view: fs.View, legal: Sequence[fs.Move], clock: fs.Clock) -> str:
        return legal[0]


def test_kuhn_poker_is_analyzed(kuhn: fs.Game) -> None:
    found = kuhn.analyze()
    # Twelve infosets of two actions each: six sequences of a player, and the empty one.
    assert (found.kind.nodes, found.kind.infosets, found.kind.leaves) == (58, 12, 30)
    assert found.sequences == {"first": 13, "second": 13}
    assert (found.certain, found.payoff_sum, found.states) == (True, "zero", None)
    # Kuhn (1950): every equilibrium bluffs with the jack, or calls with the queen, now and then.
    assert found.game_class == "mixed"
    assert {role: own.kind.value for role, own in found.dominant.items()} == {
        "first": "none",
        "second": "none",
    }
    assert found.solution is not None
    assert found.solution.value["first"] == pytest.approx(KUHN_VALUE)
    assert found.method == "lp"
    assert "cfr+" in found.fitting
    assert str(found).startswith("kuhn_poker: 58 nodes, 12 information sets; value first -0.05556")


def test_a_game_beyond_the_limit_is_judged_by_walks(kuhn: fs.Game) -> None:
    found = kuhn.analyze(max_nodes=10)
    assert found.limit is not None
    assert found.limit.code == "TRE001"
    assert (found.certain, found.solution, found.method, found.game_class) == (
        (False, None, None, None)
    )
    assert (found.sequences, found.dominant) == ({}, {})
    # The tree has 58 nodes; 256 walks come within a fifth of that.
    assert 10**found.kind.log10_nodes == pytest.approx(58, rel=0.2)
    assert "use a search" in str(found)


def test_simultaneous_moves_without_secrets_are_solved_by_states() -> None:
    found = fs.load("biased_rps").analyze()
    assert found.method == "induction-lp"
    assert found.solution is not None
    assert found.solution.tree is None
    (row,) = found.solution.state_rows(5)
    # Shafiei (2010), table 3.4: the equilibrium is 1/16 rock, 10/16 paper, 5/16 scissors.
    assert row.actions["row" if "row" in row.actions else found.game.players[0]][
        "paper"
    ] == pytest.approx(10 / 16)
    assert list(row.value.values()) == pytest.approx([50, 50])
    assert row.state == found.game.begin().state


def test_independent_parts_are_counted() -> None:
    parts = fs.load("nim").analyze(max_nodes=10).parts
    assert parts is not None
    # Heaps of 1, 3, 5 and 7, whose nim-sum is 0 (Bouton 1902): the first player has lost.
    assert (parts.count, parts.relevant, parts.grundy_number) == (4, 4, 0)


def test_stages_are_told_in_order(kuhn: fs.Game) -> None:
    told: list[Stage] = []
    analyze(kuhn, on_stage=told.append)
    assert [stage.text for stage in told] == [
        "exploring",
        "building the tree",
        "looking for dominant and pure strategies",
        "looking for independent parts",
        "building the tree",
        "loading the kernels",
        "solving",
    ]
    assert (told[-1].iterates, told[-1].target, told[-1].seconds) == (True, 0.001, 20.0)


def test_the_same_game_in_two_languages_compares_equal(kuhn: fs.Game) -> None:
    chips = fs.load("kuhn_poker_pogddl")
    found = kuhn.compare(chips, any_unit=True)
    assert found
    assert (found.difference, str(found)) == (None, "the same game")
    assert found.nodes[0] == found.nodes[1]
    assert fs.compare("kuhn_poker", chips, any_unit=True) == found
    assert fs.compare(kuhn.rules, "kuhn_poker_pogddl", any_unit=True) == found


def test_the_first_difference_is_told(kuhn: fs.Game) -> None:
    found = kuhn.compare("kuhn_poker_pogddl")
    assert not found
    assert found.difference is not None
    assert "the game ends with" in str(found)


def test_an_efg_file_is_compared_as_it_is(tmp_path: Path) -> None:
    game = fs.load("prisoners_dilemma")
    path = tmp_path / "dilemma.efg"
    path.write_text(game.rules.convert("efg").text)
    assert game.compare(path)
    assert game.compare(fs.load(path))
    with pytest.raises(fs.LimitError, match="TRE001"):
        game.compare("kuhn_poker", max_nodes=10)
    with pytest.raises(TypeError, match="got int"):
        game.compare(7)  # type: ignore[arg-type]


def test_the_uniform_player_induces_the_uniform_strategy(kuhn: fs.Game) -> None:
    induced, own = kuhn.induce("random", simulations=1), kuhn.evaluate(uniform)
    # OpenSpiel: the uniform policy of kuhn_poker has nash_conv 11/12.
    for found in (induced, own):
        assert found.nash_conv == pytest.approx(11 / 12)
        assert found.value["first"] == pytest.approx(1 / 8)
    assert induced.best_value == pytest.approx(own.best_value)
    assert (induced.method, own.method) == ("induced by random", "a strategy of one's own")


def test_a_player_of_ones_own_is_judged_by_its_strategy(kuhn: fs.Game) -> None:
    found = kuhn.induce(First, simulations=1)
    expected = kuhn.evaluate(lambda view: {view.legal[0]: 1.0})
    assert found.value == pytest.approx(expected.value)
    assert found.exploitability == pytest.approx(expected.exploitability)
    assert all(max(found.strategy[view].values()) == 1.0 for view in found.strategy)


def test_decisions_are_counted_and_averaged(kuhn: fs.Game) -> None:
    told: list[Stage] = []
    asked: list[None] = []
    found = induce(
        kuhn,
        "first",
        simulations=5,
        draws=2,
        on_stage=told.append,
        on_decision=lambda: asked.append(None),
    )
    assert [(stage.text, stage.steps) for stage in told] == [
        ("building the tree", None),
        ("decisions", 24),
    ]
    assert len(asked) == 24
    assert found.parameters == {"simulations": 5, "draws": 2, "seed": 0}


def test_an_evaluated_strategy_is_saved(kuhn: fs.Game, tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    own = kuhn.evaluate(passes, name="always pass")
    own.save(path)
    again = fs.Solution.open(path, kuhn)
    assert again.method == "always pass"
    assert again.value == pytest.approx(own.value)
    # Cards are even, and nobody bets: the higher card wins a chip.
    assert own.value == pytest.approx({"first": 0.0, "second": 0.0})


def test_a_best_response_earns_the_best_value(kuhn: fs.Game) -> None:
    own = kuhn.evaluate(uniform)
    assert own.best_value is not None
    for role in kuhn.players:
        response = kuhn.best_response(uniform, role)
        assert response.value == pytest.approx(own.best_value[role])
        assert kuhn.evaluate(response.strategy).value[role] == pytest.approx(response.value)
        # Beliefs instead of the tree come to the same.
        alone = kuhn.best_response_to_uniform(role)
        assert alone.value == pytest.approx(response.value)


def test_the_first_moves_of_a_best_response_are_rated() -> None:
    game = fs.load("tic_tac_toe")
    found = game.best_response_to_uniform("x")
    assert set(found.moves) == set(game.begin().legal["x"])
    assert found.value == pytest.approx(max(found.moves.values()))
    assert found.moves[found.move] == pytest.approx(found.value)


def test_nobody_gains_against_an_equilibrium(kuhn: fs.Game, solution: fs.Solution) -> None:
    for role in kuhn.players:
        assert kuhn.best_response(solution, role).value == pytest.approx(solution.value[role])


def test_restricted_responses_lead_from_an_equilibrium_to_a_best_response(kuhn: fs.Game) -> None:
    safe, half, trusting = (
        kuhn.restricted_nash_response(passes, "first", confidence) for confidence in (0, 0.5, 1)
    )
    assert safe.worst == pytest.approx(KUHN_VALUE)
    assert safe.exploitability == pytest.approx(0.0, abs=1e-9)
    assert trusting.value == pytest.approx(kuhn.best_response(passes, "first").value)
    assert safe.value <= half.value + 1e-9 <= trusting.value + 2e-9
    assert half.exploitability is not None
    assert half.exploitability >= -1e-9
    assert half.worst is not None
    assert half.worst + half.exploitability == pytest.approx(KUHN_VALUE)
    # The strategy that is answered stays the other's part.
    (view,) = [v for v in half.strategy if v.role == "second" and "(holds second jack)" in str(v)][
        :1
    ]
    assert half.strategy[view]["pass"] == pytest.approx(1.0)


def test_responses_to_what_is_not_known_are_refused(kuhn: fs.Game) -> None:
    with pytest.raises(fs.UsageError, match="API001"):
        kuhn.best_response(uniform, "third")
    with pytest.raises(fs.UsageError, match="API001"):
        kuhn.best_response_to_uniform("random")
    with pytest.raises(fs.UsageError, match="API006"):
        kuhn.best_response({}, "first")
    for confidence in (-0.1, 1.1, float("nan")):
        with pytest.raises(fs.UsageError, match="SOL014"):
            kuhn.restricted_nash_response(uniform, "first", confidence)
    with pytest.raises(fs.UsageError, match="SOL002"):
        fs.load("prisoners_dilemma").restricted_nash_response(
            uniform, fs.load("prisoners_dilemma").players[0], 0.5
        )


def test_a_method_that_ends_by_itself_has_a_single_point(solution: fs.Solution) -> None:
    (point,) = solution.curve
    assert point.exploitability == pytest.approx(solution.exploitability)
    assert (point.iteration, point.seconds) == (solution.iterations, solution.seconds)


def test_the_methods_are_told_with_what_they_find() -> None:
    methods = fs.solvers()
    assert {"cfr", "cfr+", "lp", "induction-lp"} <= set(methods)
    assert all(own.what and own.finds for own in methods.values())
    assert methods["cfr+"].anytime
    assert not methods["lp"].anytime
