"""Exact equilibria: published fractions, and refusals instead of guesses."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from efg_games import COIN, game_of, random_game
from fogspiel.core.findings import LimitError, UsageError
from fogspiel.games.load import load
from fogspiel.solve.arrays import Treeplex
from fogspiel.solve.lp import exact
from fogspiel.solve.lp.exact import RIGHT, solve_equations, solve_exactly
from fogspiel.solve.lp.linear import Maximin, maximin, solve_linear
from fogspiel.solve.result import Solution
from fogspiel.solve.sequence_form import SequencePayoffs
from fogspiel.tree.game_tree import GameTree
from fogspiel.tree.preorder import tree_of_efg
from level_order import from_preorder
from unfolding import unfold


def tree_of(name: str) -> GameTree:
    return from_preorder(unfold(load(name).machine))


def values_of(found: Solution) -> tuple[Fraction, ...]:
    assert found.exact_values is not None
    return found.exact_values


def at(found: Solution, infoset: int) -> tuple[Fraction, ...]:
    probabilities = found.exactly_at(infoset)
    assert probabilities is not None
    return probabilities


def choice(tree: GameTree, found: Solution, knows: str, action: str) -> Fraction:
    names = tree.infosets.names
    (infoset,) = (i for i in range(len(tree.infosets)) if knows in names.infoset(i))
    return at(found, infoset)[names.actions(infoset).index(action)]


def test_simple_poker_is_worth_a_sixth_with_the_published_bluff_and_call() -> None:
    tree = tree_of("simple_poker")
    found = solve_exactly(tree)
    # Richards (2012), section 2.3. Payoff = (goal - 50) / 50.
    assert (values_of(found)[0] - 50) / 50 == Fraction(1, 6)
    # The first player holds the king, or else the jack.
    assert choice(tree, found, "(king first)", "bet") == 1
    assert choice(tree, found, "(king second)", "bet") == Fraction(1, 3)
    assert choice(tree, found, "(move first bet)", "bet") == Fraction(2, 3)


def test_kuhn_poker_is_worth_minus_one_eighteenth() -> None:
    # Kuhn (1950), A simplified two-person poker. Payoff = (goal - 50) / 25.
    found = solve_exactly(tree_of("kuhn_poker"))
    assert (values_of(found)[0] - 50) / 25 == Fraction(-1, 18)
    assert sum(values_of(found)) == 100
    assert found.exploitability < 1e-12


def test_biased_rock_paper_scissors_has_sixteenths() -> None:
    # Shafiei (2010), section 3.6.1.
    tree = tree_of("biased_rps")
    found = solve_exactly(tree)
    published = {"rock": Fraction(1, 16), "paper": Fraction(10, 16), "scissors": Fraction(5, 16)}
    for infoset in (0, 1):
        names = tree.infosets.names.actions(infoset)
        assert dict(zip(names, at(found, infoset), strict=True)) == published


def test_leduc_poker_has_an_exact_value_too() -> None:
    # OpenSpiel 2.0.2, sequence_form_lp: -0.0856064. Payoff = (goal - 50) / 3.
    found = solve_exactly(tree_of("leduc_poker"))
    assert float((values_of(found)[0] - 50) / 3) == pytest.approx(-0.0856064, abs=5e-8)
    assert sum(values_of(found)) == 100


def test_probabilities_add_up_exactly() -> None:
    tree = from_preorder(tree_of_efg(game_of(COIN)))
    found = solve_exactly(tree)
    assert values_of(found) == (Fraction(1, 3), Fraction(-1, 3))  # by hand, see test_linear
    assert [sum(at(found, infoset)) for infoset in range(len(tree.infosets))] == [1, 1, 1]


def test_a_wrong_reading_of_the_optimum_is_never_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    def misread(own: Treeplex, other: Treeplex, payoffs: SequencePayoffs) -> Maximin:
        right = maximin(own, other, payoffs)
        # As if the commonest action were never played: what that plan guarantees is too little.
        plan = right.plan.copy()
        plan[np.argmax(plan[1:]) + 1] = 0.0
        return Maximin(
            plan=plan,
            other_plan=right.other_plan,
            plan_losses=right.plan_losses,
            other_losses=right.other_losses,
            iterations=1,
        )

    monkeypatch.setattr(exact, "maximin", misread)
    with pytest.raises(LimitError) as caught:
        solve_exactly(tree_of("biased_rps"))
    assert caught.value.findings[0].code == "SOL012"


def test_general_sums_are_refused() -> None:
    with pytest.raises(UsageError) as caught:
        solve_exactly(tree_of("prisoners_dilemma"))
    assert caught.value.findings[0].code == "SOL002"


def test_equations_are_solved_or_found_to_contradict_each_other() -> None:
    half, third = Fraction(1, 2), Fraction(1, 3)
    one = {0: half, 1: third, RIGHT: Fraction(1)}
    other = {0: Fraction(1), 1: Fraction(-1)}
    assert solve_equations([one, other], {}) == {0: Fraction(6, 5), 1: Fraction(6, 5)}
    assert solve_equations([one, other, {1: Fraction(1), RIGHT: Fraction(2)}], {}) is None


def test_what_equations_leave_free_is_guessed() -> None:
    one = {0: Fraction(1, 2), 1: Fraction(1, 3), RIGHT: Fraction(1)}
    guesses = {0: Fraction(1), 1: Fraction(3, 2)}
    solution = solve_equations([one, one], guesses)
    assert solution == guesses  # the guess of one unknown gives that of the other


@pytest.mark.parametrize("seed", [380, 484, 512, 858, 1145, 1, 2, 3, 4, 6, 8, 10])
def test_games_made_at_random_are_confirmed(seed: int) -> None:
    # All have two players; the optima of the first five leave something free.
    made = from_preorder(tree_of_efg(random_game(seed)))
    payoffs = tuple((first, -first) for first, _ in made.exact_payoffs)
    tree = replace(made, exact_payoffs=payoffs)
    found = solve_exactly(tree)
    assert sum(values_of(found)) == 0
    assert float(values_of(found)[0]) == pytest.approx(solve_linear(tree).values[0], abs=1e-7)
    assert min(found.exact_probabilities or (), default=0) >= 0
    assert all(sum(at(found, infoset)) == 1 for infoset in range(len(tree.infosets)))
