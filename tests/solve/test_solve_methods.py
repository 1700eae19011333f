"""All methods by name: those that fit agree, and the others say why they do not fit."""

from __future__ import annotations

from fractions import Fraction

import pytest

from fogspiel.core.findings import UsageError
from fogspiel.games.load import load
from fogspiel.solve.files.strategy_table import infoset_reach, most_reached
from fogspiel.solve.methods import METHODS, chosen_method, fitting, solve, why_chosen
from fogspiel.solve.result import SolveLimits
from fogspiel.tree.build.build import build
from fogspiel.tree.game_kind import kind_of

EXACT = ["lp", "lp-exact", "normal-form", "double-oracle"]
LIMITS = SolveLimits(iterations=100_000, target=1e-7)


@pytest.mark.parametrize("name", ["kuhn_poker", "simple_poker", "biased_rps"])
def test_methods_that_apply_agree_on_the_value(name: str) -> None:
    tree = build(load(name).machine)
    values = [solve(tree, method, limits=LIMITS).values[0] for method in EXACT]
    values.append(
        solve(tree, "pcfr+", limits=SolveLimits(iterations=100_000, target=1e-5)).values[0]
    )
    assert values == pytest.approx([values[0]] * len(values), abs=1e-4)
    assert values[:-1] == pytest.approx([values[0]] * len(EXACT), abs=1e-6)


def test_induction_over_states_agrees_with_the_linear_program() -> None:
    machine = load("goofspiel_4").machine
    tree = build(machine)
    states = solve(tree, "induction-lp", limits=LIMITS, machine=machine)
    linear = solve(tree, "lp", limits=LIMITS)
    assert states.values == pytest.approx(linear.values, abs=1e-6)
    assert states.exploitability < 1e-6


def test_induction_over_states_cannot_do_without_the_machine() -> None:
    with pytest.raises(ValueError, match="needs the machine"):
        solve(build(load("biased_rps").machine), "induction-lp", limits=LIMITS)


def test_alpha_beta_agrees_with_induction() -> None:
    tree = build(load("nim(1,2,2)").machine)
    found = [solve(tree, name, limits=LIMITS).values for name in ("induction", "alpha-beta")]
    assert found[0] == found[1] == (100, 0)


def test_a_pure_equilibrium_is_found_whatever_the_sum() -> None:
    result = solve(build(load("prisoners_dilemma").machine), "pure", limits=LIMITS)
    # Both defect, as in every telling since Flood and Dresher (1950): the sheet pays 33 for that.
    assert (result.values, result.exploitability) == ((33, 33), 0)


def test_a_game_without_a_pure_equilibrium_is_told() -> None:
    with pytest.raises(UsageError) as caught:
        solve(build(load("kuhn_poker").machine), "pure", limits=LIMITS)
    assert caught.value.findings[0].code == "SOL032"


def test_one_player_alone_gets_a_best_response() -> None:
    tree = build(load("monty_hall").machine)
    result = solve(tree, limits=LIMITS)
    # Selvin (1975): who switches wins two times in three.
    assert result.values == pytest.approx([200 / 3])
    assert result.method == "response"
    assert result.exploitability == pytest.approx(0)


@pytest.mark.parametrize(
    ("game", "chosen"),
    [
        ("kuhn_poker", "lp"),
        ("nim(1,2,2)", "induction"),
        ("monty_hall", "response"),
        ("prisoners_dilemma", "cfr"),
        ("liars_dice", "sapcfr+"),
    ],
)
def test_auto_goes_by_kind_and_size(game: str, chosen: str) -> None:
    kind = kind_of(build(load(game).machine))
    assert chosen_method(kind).name == chosen
    assert chosen_method(kind) in fitting(kind)
    assert why_chosen(kind)


def test_a_kind_is_counted() -> None:
    kind = kind_of(build(load("simple_poker").machine))
    assert (kind.players, kind.constant) == (2, Fraction(100))
    assert kind.infosets == 4
    assert kind.sequences == (5, 5)
    assert (kind.chance, kind.perfect_information) == (True, False)


def test_a_method_that_does_not_fit_names_those_that_do() -> None:
    tree = build(load("prisoners_dilemma").machine)
    with pytest.raises(UsageError) as caught:
        solve(tree, "lp", limits=LIMITS)
    (finding,) = caught.value.findings
    assert finding.code == "SOL031"
    assert "it is for constant-sum games" in finding.message
    assert finding.fix == "use cfr, mccfr-external, mccfr-outcome, pure, or auto"


def test_an_unknown_method_names_those_that_are_known() -> None:
    with pytest.raises(UsageError) as caught:
        solve(build(load("kuhn_poker").machine), "magic", limits=LIMITS)
    assert caught.value.findings[0].code == "SOL030"
    assert all(name in caught.value.findings[0].fix for name in METHODS)


def test_reach_follows_chance_and_all_players() -> None:
    tree = build(load("kuhn_poker").machine)
    strategy = solve(tree, "lp-exact", limits=LIMITS).strategy
    reach = infoset_reach(tree, strategy)
    lines = most_reached(tree, strategy, 1, 3)
    # The first player holds each of three cards in a third of all games, and moves at once.
    assert [line.reach for line in lines] == pytest.approx([1 / 3] * 3)
    assert {line.knows for line in lines} == {
        f"(holds first {c})" for c in ("jack", "queen", "king")
    }
    assert reach.sum() >= 2 - 1e-12
    assert all(sum(share for _, share in line.actions) == pytest.approx(1) for line in lines)
