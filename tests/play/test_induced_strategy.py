"""Decisions put together: what they make of known players, and Richards' theorems 3 to 5."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import numpy as np
import pytest

from fogspiel.belief.methods import make_belief
from fogspiel.belief.protocol import BeliefLimits
from fogspiel.core.budget import Budget
from fogspiel.core.findings import PlayError
from fogspiel.core.source import Source
from fogspiel.core.terms import MoveId
from fogspiel.games.load import LoadedGame, load, load_sources
from fogspiel.play.induced_strategy import InducedDecision, decisions_of, induced_strategy
from fogspiel.players.base import MixedPlayer
from fogspiel.players.catalogue import PLAYERS, make_player
from fogspiel.players.protocol import Agent, Mixing, Seat, Shares
from fogspiel.players.simple import FirstPlayer
from fogspiel.solve.result import Strategy, uniform
from fogspiel.solve.strategy_value import strategy_value
from fogspiel.tree.build.build import build
from fogspiel.tree.game_tree import GameTree

COLOURS = """
; Each role is shown a colour of its own and names one: who names its own, and alone, wins.
(role first) (role second) (role random)
(colour red) (colour black)
(succ 1 2) (succ 2 3) (succ 3 4)
(turn first 2) (turn second 3)
(init (step 1))
(<= (legal random (deal ?a ?b)) (true (step 1)) (colour ?a) (colour ?b))
(<= (legal random noop) (not (true (step 1))))
(<= (legal ?r (name ?c)) (turn ?r ?n) (true (step ?n)) (colour ?c))
(<= (legal ?r noop) (turn ?r ?n) (not (true (step ?n))))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (next (holds first ?a)) (does random (deal ?a ?b)))
(<= (next (holds second ?b)) (does random (deal ?a ?b)))
(<= (next (holds ?r ?c)) (true (holds ?r ?c)))
(<= (next (named ?r ?c)) (does ?r (name ?c)))
(<= (next (named ?r ?c)) (true (named ?r ?c)))
(<= (sees first (holds ?a)) (does random (deal ?a ?b)))
(<= (sees second (holds ?b)) (does random (deal ?a ?b)))
(<= (sees second (named ?c)) (does first (name ?c)))
(<= (right ?r) (true (holds ?r ?c)) (true (named ?r ?c)))
(<= terminal (true (step 4)))
(<= (goal first 100) (right first) (not (right second)))
(<= (goal second 100) (right second) (not (right first)))
(<= (goal first 0) (right second) (not (right first)))
(<= (goal second 0) (right first) (not (right second)))
(<= (goal ?r 50) (turn ?r ?n) (right first) (right second))
(<= (goal ?r 50) (turn ?r ?n) (not (right first)) (not (right second)))
"""


@cache
def game_of(name: str) -> tuple[LoadedGame, GameTree]:
    game = load_sources([Source("colours.gdl", COLOURS)]) if name == "colours" else load(name)
    return game, build(game.machine)


def budget(simulations: int) -> Callable[[], Budget]:
    return partial(Budget.of, simulations=simulations)


def induced(
    name: str, make: Callable[[], Agent], simulations: int = 200, draws: int = 1
) -> Strategy:
    game, tree = game_of(name)
    clock = budget(simulations)
    return induced_strategy(game.machine, tree, make, turn_budget=clock, seed=1, draws=draws)


def loss(name: str, player: str, simulations: int = 200) -> float:
    """Exploitability in the unit of the game."""
    game, tree = game_of(name)
    strategy = induced(name, partial(make_player, player), simulations)
    return game.tree_unit.difference(strategy_value(tree, strategy).exploitability)


def come_to(decision: InducedDecision, player: Agent, seed: int) -> None:
    player.start(Seat(game_of("kuhn_poker")[0].machine, decision.role, seed), budget(200)())
    for observation in decision.observations:
        player.observe(observation)


@pytest.mark.parametrize("name", ["kuhn_poker", "simple_poker", "colours"])
def test_what_leads_to_an_infoset_leaves_just_its_moves(name: str) -> None:
    game, tree = game_of(name)
    decisions = list(decisions_of(game.machine, tree))
    assert [decision.infoset for decision in decisions] == list(range(len(tree.infosets)))
    for decision in decisions:
        belief = make_belief("exact", game.machine, decision.role, BeliefLimits())
        for observation in decision.observations:
            belief.advance(observation)
        for state in belief.enumerate(100).states:
            assert game.machine.legal(state, decision.role) == decision.moves


def test_even_choices_make_the_even_strategy() -> None:
    _, tree = game_of("kuhn_poker")
    found = induced("kuhn_poker", partial(make_player, "random"))
    np.testing.assert_allclose(found.probabilities, uniform(tree).probabilities)


class _BySeed(FirstPlayer):
    """Its choice depends on its seed alone."""

    def choose(self, budget: Budget) -> MoveId:
        return self.legal_moves(budget)[self.seed % 2]


class _Nobody(FirstPlayer):
    def choose(self, budget: Budget) -> MoveId:
        return MoveId(77)


def test_choices_are_averaged_over_seeds() -> None:
    seeds = [int(np.random.SeedSequence([1, draw]).generate_state(1)[0]) for draw in range(8)]
    odd = sum(seed % 2 for seed in seeds) / len(seeds)
    assert 0.0 < odd < 1.0
    found = induced("kuhn_poker", _BySeed, draws=8)
    for infoset in range(12):
        assert found.at(infoset) == pytest.approx([1.0 - odd, odd])


def test_a_move_that_is_not_legal_is_refused() -> None:
    with pytest.raises(PlayError, match="MAT001"):
        induced("kuhn_poker", _Nobody)


class _Skewed(MixedPlayer):
    def mixture(self, budget: Budget) -> Shares:
        return np.array([0.25, 0.75])


def test_draws_follow_the_mixture() -> None:
    game, tree = game_of("kuhn_poker")
    decision = next(decisions_of(game.machine, tree))
    drawn = []
    for seed in range(400):
        player = _Skewed()
        come_to(decision, player, seed)
        drawn.append(decision.moves.index(player.choose(budget(1)())))
    # Four deviations of a mean of 400 draws are 0.087.
    assert np.mean(drawn) == pytest.approx(0.75, abs=0.087)


@pytest.mark.parametrize("name", sorted(PLAYERS))
def test_players_choose_what_their_mixture_allows(name: str) -> None:
    game, tree = game_of("kuhn_poker")
    for decision in list(decisions_of(game.machine, tree))[::5]:
        player, other = make_player(name), make_player(name)
        for seed, one in ((3, player), (3, other)):
            come_to(decision, one, seed)
        move = player.choose(budget(64)())
        assert move in decision.moves
        if isinstance(other, Mixing):
            shares = other.mixture(budget(64)())
            assert shares.sum() == pytest.approx(1.0)
            assert shares[decision.moves.index(move)] > 0.0


def test_players_that_draw_from_an_average_tell_it() -> None:
    names = ["sm-exp3", "sm-rm", "shodan", "oos", "solved", "exploit", "belp", "cfr", "sm-lp"]
    assert all(isinstance(make_player(name), Mixing) for name in [*names, "random"])


@pytest.mark.parametrize(
    ("name", "player"), [("prisoners_dilemma", "sdpog:greedy"), ("colours", "sdpog")]
)
def test_sdpog_is_optimal_where_a_strategy_dominates(name: str, player: str) -> None:
    """Richards (2012), theorem 3; colours hides what the other was dealt.

    Where both move at once, only a heuristic that tries all moves against the same one of the other
    sees what dominates: simulations try them at different times, against others that learn.
    """
    _, tree = game_of(name)
    assert strategy_value(tree, uniform(tree)).exploitability > 10.0
    assert loss(name, player, 1_000) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("name", ["biased_rps", "kuhn_poker", "simple_poker"])
def test_domis_can_be_exploited_where_equilibria_mix(name: str) -> None:
    """Richards (2012), theorem 4: what never mixes is no equilibrium there, whatever it models."""
    strategy = induced(name, partial(make_player, "domis"), 1_000)
    assert set(strategy.probabilities.tolist()) == {0.0, 1.0}
    assert loss(name, "domis", 1_000) > 0.05


@pytest.mark.parametrize("name", ["kuhn_poker", "simple_poker"])
def test_belp_is_at_the_equilibrium(name: str) -> None:
    """Richards (2012), theorem 5."""
    assert loss(name, "belp") < 0.01


def test_the_equilibrium_has_its_value() -> None:
    game, tree = game_of("kuhn_poker")
    found = strategy_value(tree, induced("kuhn_poker", partial(make_player, "solved")))
    # Kuhn (1950): -1/18 of a chip for the first player.
    assert game.tree_unit.value(found.values[0]) == pytest.approx(-1 / 18, abs=1e-6)


@pytest.mark.parametrize(("player", "few", "many"), [("oos", 10, 3_000), ("shodan", 100, 10_000)])
def test_more_simulations_lose_less(player: str, few: int, many: int) -> None:
    assert loss("kuhn_poker", player, many) < 0.5 * loss("kuhn_poker", player, few)
