"""OpenSpiel and Gambit read the trees that we write, and find the published values in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from io import StringIO
from typing import Any

import pytest

from fogspiel.games.convert import convert
from fogspiel.games.library import bundled_games, game_source
from fogspiel.games.load import load
from fogspiel.tree.preorder import PreorderTree
from unfolding import in_preorder, shape

GAMES = [
    "biased_rps", "coin_flip", "exploding_bomb", "goofspiel_4", "hidden_goofspiel_4", "kuhn_poker",
    "leduc_poker", "monty_hall", "prisoners_dilemma", "simple_poker",
    "kuhn_poker_pogddl", "simple_poker_pogddl", "slippery_robot",
]  # fmt: skip
"""All bundled games whose trees have no more than 20,000 nodes."""
POKERS = ["kuhn_poker", "kuhn_poker_pogddl", "simple_poker", "simple_poker_pogddl"]
ITERATIONS = 2_000


@cache
def tree_of(name: str) -> PreorderTree:
    return in_preorder(load(name).machine)


@cache
def written(name: str) -> str:
    """The tree of a bundled game as the command writes it, payoffs in the unit of the game."""
    return convert([game_source(name)], "efg", name=name, unit=bundled_games()[name].unit).text


def ends_of(name: str) -> Counter[tuple[float, ...]]:
    """Number of terminal nodes with each tuple of payoffs."""
    tree, unit = tree_of(name), bundled_games()[name].unit
    counts = Counter(tree.payoffs[tree.payoffs >= 0].tolist())
    found: Counter[tuple[float, ...]] = Counter()
    for index, count in counts.items():
        goals = map(float, tree.payoff_table[index])
        found[rounded([unit.value(goal) if unit else goal for goal in goals])] += count
    return found


def rounded(payoffs: Sequence[float]) -> tuple[float, ...]:
    """Payoffs that compare as equal after calculation with floats."""
    return tuple(round(payoff, 9) for payoff in payoffs)


def published_value(name: str) -> Fraction:
    """What the first player of a poker wins at equilibrium."""
    return Fraction(*bundled_games()[name].facts["value_first_player"].value)


class TestOpenSpiel:
    """EFG files as OpenSpiel reads them."""

    @pytest.mark.parametrize("name", GAMES)
    def test_it_counts_the_same_nodes_infosets_and_payoffs(self, name: str) -> None:
        tree = tree_of(name)
        nodes: Counter[str] = Counter()
        infosets: set[tuple[int, str]] = set()
        ends: Counter[tuple[float, ...]] = Counter()
        for state in states_of(openspiel_game(name)):
            if state.is_terminal():
                ends[rounded(state.returns())] += 1
            elif state.is_chance_node():
                nodes["chance"] += 1
            else:
                nodes["decision"] += 1
                infosets.add((state.current_player(), state.information_state_string()))
        chance, decisions, _, own_infosets = shape(tree)
        assert (nodes["chance"], nodes["decision"]) == (chance, decisions)
        assert len(infosets) == own_infosets
        assert ends == ends_of(name)

    @pytest.mark.parametrize("name", POKERS)
    def test_its_regret_minimiser_finds_the_published_value(self, name: str) -> None:
        pyspiel = pytest.importorskip("pyspiel")
        game = openspiel_game(name)
        solver = pyspiel.CFRPlusSolver(game)
        for _ in range(ITERATIONS):
            solver.evaluate_and_update_policy()
        policy = solver.average_policy()
        # Nobody gains more than this by leaving the policy, so the value is that far off at most.
        doubt = pyspiel.nash_conv(game, policy)
        assert doubt < 0.01
        first, second = pyspiel.expected_returns(game.new_initial_state(), policy, -1, True)
        assert first == pytest.approx(float(published_value(name)), abs=doubt)
        assert second == pytest.approx(-first)


def openspiel_game(name: str) -> Any:
    """The game as OpenSpiel reads it."""
    return pytest.importorskip("pyspiel").load_efg_game(written(name))


def states_of(game: Any) -> Iterator[Any]:
    """All states of an OpenSpiel game."""
    work = [game.new_initial_state()]
    while work:
        state = work.pop()
        yield state
        work += [state.child(action) for action in state.legal_actions()]


class TestGambit:
    """EFG files as Gambit reads them, and their values by its linear program."""

    @pytest.mark.parametrize("name", GAMES)
    def test_it_counts_the_same_infosets_and_sees_perfect_recall(self, name: str) -> None:
        game, tree = gambit_game(name), tree_of(name)
        assert tuple(game.players) == tree.players
        assert game.is_perfect_recall
        own = [sum(1 for _ in game.get_infosets(player)) for player in game.players]
        expected = Counter(infoset.player for infoset in tree.infoset_table)
        assert own == [expected[player + 1] for player in range(len(own))]
        payoffs = [end for ends in ends_of(name) for end in ends]
        assert float(game.min_payoff) == pytest.approx(min(payoffs))
        assert float(game.max_payoff) == pytest.approx(max(payoffs))

    @pytest.mark.parametrize("name", POKERS)
    def test_it_finds_exactly_the_published_value(self, name: str) -> None:
        game = gambit_game(name)
        result = pytest.importorskip("pygambit").nash.lp_solve(game)
        first, second = (
            Fraction(str(result.equilibrium.payoffs[player])) for player in game.players
        )
        assert first == -second == published_value(name)


def gambit_game(name: str) -> Any:
    """The game as Gambit reads it."""
    reason = "Gambit is not installed: pip install 'fogspiel[gambit]'"
    gambit = pytest.importorskip("pygambit", reason=reason)
    return gambit.read_efg(StringIO(written(name)))
