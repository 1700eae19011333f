"""The hidden-information games against values that follow from their sources."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import TypeAlias

import pytest
from game_play import exact_mean_goals, machine_of
from histories import Knowledge, Policy, explorer, mean_goals

from fogspiel.games.library import bundled_games

Mixture: TypeAlias = dict[str, Fraction]
SURE = Fraction(1)


def by_rule(rule: Callable[[str, Knowledge], Mixture]) -> Policy:
    """A policy from a rule for the decisions that matter; a single move is made unasked."""

    def policy(role: str, knowledge: Knowledge, moves: tuple[str, ...]) -> Mixture:
        return {moves[0]: SURE} if len(moves) == 1 else rule(role, knowledge)

    return policy


def split(move: str, other: str, share: Fraction) -> Mixture:
    """`move` with the given probability, else `other`."""
    return {move: share, other: 1 - share}


@pytest.mark.parametrize("name", ["coin_flip", "monty_hall", "exploding_bomb"])
def test_exact_mean_goals_of_random_play(name: str) -> None:
    assert mean_goals(explorer(name)) == bundled_games()[name].facts["mean_goals"].value


@pytest.mark.parametrize("name", ["coin_flip", "monty_hall", "exploding_bomb", "kuhn_poker"])
def test_playouts_agree_with_the_exact_mean(name: str) -> None:
    game = explorer(name)
    played = game.machine.playouts(game.machine.initial()[None, :], seed=3, count=60_000)
    exact = [float(goal) for goal in mean_goals(game)]
    # 50 / sqrt(60,000) bounds the standard error; five of them.
    assert played.mean_goals == pytest.approx(exact, abs=1.1)


def test_switching_doors_wins_twice_as_often() -> None:
    facts = bundled_games()["monty_hall"].facts
    for last, fact in (("switch", "switch_wins"), ("stay", "stay_wins")):
        second = {last: SURE}

        def pick_then(_: str, knowledge: Knowledge, then: Mixture = second) -> Mixture:
            return {"(pick 1)": SURE} if len(knowledge) == 1 else then

        won = mean_goals(explorer("monty_hall"), by_rule(pick_then))[1] / 100
        assert won == Fraction(*facts[fact].value)


def test_asking_first_defuses_every_bomb() -> None:
    def ask_then_cut(_role: str, knowledge: Knowledge) -> Mixture:
        if len(knowledge) == 1:
            return {"ask": SURE}
        ((told,),) = [percepts for move, percepts in knowledge if move == "ask"]
        return {told.replace("connected", "cut"): SURE}

    best = bundled_games()["exploding_bomb"].facts["best_mean_goal"].value
    assert mean_goals(explorer("exploding_bomb"), by_rule(ask_then_cut))[1] == best


def test_kuhn_poker_is_worth_minus_one_eighteenth() -> None:
    # Kuhn 1950, the equilibrium in which the first player never opens with a bet.
    third = Fraction(1, 3)

    def equilibrium(role: str, knowledge: Knowledge) -> Mixture:
        (card,) = [
            p[2]
            for _, seen in knowledge
            for p in [s.strip("()").split() for s in seen]
            if p[:2] == ["holds", role]
        ]
        facing_bet = "bet)" in "".join(knowledge[-1][1])
        if role == "first" and not facing_bet:
            return {"pass": SURE}
        if facing_bet:
            return split("bet", "pass", {"jack": Fraction(0), "queen": third, "king": SURE}[card])
        return split("bet", "pass", {"jack": third, "queen": Fraction(0), "king": SURE}[card])

    entry = bundled_games()["kuhn_poker"]
    assert entry.unit is not None
    first = mean_goals(explorer("kuhn_poker"), by_rule(equilibrium))[1]
    assert (first - 50) / 25 == Fraction(*entry.facts["value_first_player"].value)
    assert entry.unit.value(float(first)) == pytest.approx(-1 / 18)


def poker_policy(
    king: Fraction, jack: Fraction, after_fold: Fraction, after_bet: Fraction
) -> Policy:
    """Simple poker with these probabilities of a bet, as Richards' figure 2.2 orders them."""

    def rule(role: str, knowledge: Knowledge) -> Mixture:
        seen = knowledge[-1][1]
        if role == "first":
            return split("bet", "fold", king if "(king first)" in seen else jack)
        return split("bet", "fold", after_bet if "(move first bet)" in seen else after_fold)

    return by_rule(rule)


def poker_payoff(*shares: Fraction) -> Fraction:
    """What the first player of simple poker wins on average, in dollars."""
    return (mean_goals(explorer("simple_poker"), poker_policy(*shares))[1] - 50) / 25


def test_simple_poker_has_the_published_normal_form() -> None:
    matrix = bundled_games()["simple_poker"].facts["normal_form"].value
    pure = [tuple(map(Fraction, pair)) for pair in product((0, 1), repeat=2)]
    assert [[poker_payoff(*row, *column) for column in pure] for row in pure] == matrix


def test_simple_poker_has_the_published_equilibrium() -> None:
    facts = bundled_games()["simple_poker"].facts
    value, bluff, call = (
        Fraction(*facts[name].value) for name in ("value_first_player", "bluff", "call")
    )
    pure = [tuple(map(Fraction, pair)) for pair in product((0, 1), repeat=2)]
    dollars = 2 * value  # the index counts in what each player holds at first
    assert poker_payoff(SURE, bluff, SURE, call) == dollars
    # Neither player gains by leaving the equilibrium.
    assert max(poker_payoff(*row, SURE, call) for row in pure) == dollars
    assert min(poker_payoff(SURE, bluff, *column) for column in pure) == dollars


@pytest.mark.parametrize("name", ["hidden_goofspiel_4", "hidden_goofspiel_5"])
def test_random_play_of_symmetric_games_is_exactly_even(name: str) -> None:
    expected = bundled_games()[name].facts["mean_goals"].value
    assert list(exact_mean_goals(machine_of(name))) == expected


def test_random_play_of_blind_tic_tac_toe_is_even() -> None:
    machine = machine_of("blind_tic_tac_toe")
    played = machine.playouts(machine.initial()[None, :], seed=5, count=60_000)
    expected = bundled_games()["blind_tic_tac_toe"].facts["mean_goals"].value
    assert played.mean_goals == pytest.approx(expected, abs=1.1)
