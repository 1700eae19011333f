"""The smallest games there are: nobody decides, one decides, a move is forced."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from efg_games import game_of
from fogspiel.solve.regret.cfr import VARIANTS, cfr_on_tree, minimise_regrets
from fogspiel.solve.regret.mccfr import Scheme, sample_regrets
from fogspiel.solve.result import Solution, SolveLimits, checked
from fogspiel.tree.game_tree import GameTree
from fogspiel.tree.preorder import tree_of_efg
from level_order import from_preorder

LIMITS = SolveLimits(iterations=400)
ENDS = 't "" 1 "" { 0 100 }\nt "" 2 "" { 50 50 }\n'
GAMES = {
    "over at once": ('t "" 1 "" { 1 99 }\n', 1.0),
    "chance alone": ('c "" 1 "" { "l" 1/4 "r" 3/4 } 0\n' + ENDS, 37.5),
    "the first alone": ('p "" 1 1 "" { "l" "r" } 0\n' + ENDS, 50.0),
    "the second alone": ('p "" 2 1 "" { "l" "r" } 0\n' + ENDS, 0.0),
    "a forced move": ('p "" 1 1 "" { "go" } 0\np "" 2 1 "" { "l" "r" } 0\n' + ENDS, 0.0),
}
SOLVERS: dict[str, Callable[[GameTree], Solution]] = {
    **{
        name: partial(minimise_regrets, variant=variant, limits=LIMITS)
        for name, variant in VARIANTS.items()
    },
    "cfr on the tree": partial(cfr_on_tree, limits=LIMITS),
    **{
        scheme.value: partial(sample_regrets, scheme=scheme, seed=0, limits=LIMITS)
        for scheme in Scheme
    },
}


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("game", GAMES)
def test_every_solver_knows_what_to_do(game: str, solver: str) -> None:
    text, value = GAMES[game]
    tree = from_preorder(tree_of_efg(game_of('EFG 2 R "small" { "A" "B" }\n' + text)))
    result = SOLVERS[solver](tree)
    checked(tree, result.strategy)
    assert result.values == pytest.approx((value, 100.0 - value), abs=0.5)
    assert result.exploitability <= 0.25
