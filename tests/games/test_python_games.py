"""Games in Python are the games of the library that they retell, for every room above machines."""

from __future__ import annotations

import pickle
import random
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import fogspiel
from fogspiel.api.game import Game
from fogspiel.core.findings import UsageError
from fogspiel.machine.protocol import States
from fogspiel.tree.build.build import build
from fogspiel.tree.compare.isomorphism import compare, unit_change
from fogspiel.tree.preorder import PreorderTree, to_preorder
from python_games import Biased, Goofspiel, HiddenGoofspiel

EXAMPLES = Path(__file__).parents[2] / "examples"
KUHN = f"{EXAMPLES / 'kuhn_poker.py'}:KuhnPoker"
LATENT = f"{EXAMPLES / 'latent_tic_tac_toe.py'}:LatentTicTacToe"


@pytest.fixture
def kuhn() -> Game:
    return fogspiel.load(KUHN)


def whole_tree(game: Game) -> PreorderTree:
    return to_preorder(build(game.machine, merge=False))


def nothing(states: States) -> NDArray[np.float64]:
    return np.zeros((len(states), 2))


@pytest.mark.parametrize(
    ("own", "sheet"),
    [
        (KUHN, "kuhn_poker"),
        (HiddenGoofspiel, "hidden_goofspiel_4"),
        (Goofspiel, "goofspiel_4"),
        (HiddenGoofspiel(3), "hidden_goofspiel(3)"),
    ],
)
def test_the_tree_is_that_of_the_rule_sheet(own: str, sheet: str) -> None:
    trees = [whole_tree(fogspiel.load(game)) for game in (own, sheet)]
    assert len(trees[0]) > 10
    assert compare(*trees, payoff_map=unit_change(*trees)).difference == ""


def test_the_beginning_of_a_large_tree_is_that_of_the_rule_sheet() -> None:
    games = [fogspiel.load(game) for game in (LATENT, "latent_tic_tac_toe")]
    trees = [
        to_preorder(build(game.machine, merge=False, depth=4, evaluate=nothing)) for game in games
    ]
    assert len(trees[0]) > 4000
    assert compare(*trees, labels=True).difference == ""


def test_a_large_game_is_played_like_its_rule_sheet_to_the_end() -> None:
    own, sheet = fogspiel.load(LATENT), fogspiel.load("latent_tic_tac_toe")
    draw, ends = random.Random(7), set()
    for _ in range(30):
        first, second = own.begin(), sheet.begin()
        while not first.over:
            assert {r: set(m) for r, m in first.legal.items()} == {
                r: set(m) for r, m in second.legal.items()
            }
            moves = {role: str(draw.choice(sorted(own))) for role, own in first.legal.items()}
            first, second = first.play(moves), second.play(moves)
            assert first.sees == second.sees
        assert second.over
        assert first.goals == second.goals
        ends.add(tuple(first.goals.values()))
    assert len(ends) > 1


def test_facts_about_cells_are_drawn_as_a_board() -> None:
    history = fogspiel.load(LATENT).begin().play(x="(mark 2 2)").play(o="(mark 3 1)")
    assert "(cell 2 2 x)" in history.state
    assert history.state.board().startswith("The board (cell):")
    assert history.state.fluents == ("(control x)", "(cell 2 2 x)", "(cell 3 1 o)")


def test_the_value_is_that_of_kuhn(kuhn: Game) -> None:
    # Kuhn (1950): the first player loses a chip in 18 deals.
    solution = kuhn.solve()
    assert solution.value["first"] == pytest.approx(-1 / 18)
    assert solution.exploitability == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("method", ["auto", "exact", "dfs", "rejection", "particles", "hyperplay"])
def test_a_belief_holds_the_cards_that_the_other_may_have(kuhn: Game, method: str) -> None:
    history = kuhn.begin().play("(deal queen)").play("(deal king)").play("pass")
    drawn = history.view("second").belief(method).sample(40, seed=1)
    assert {own.state.fluents for own in drawn} == {
        (f"(cards {card} king)", "(said pass)") for card in ("jack", "queen")
    }


def test_a_belief_knows_how_probable_a_fact_is(kuhn: Game) -> None:
    history = kuhn.begin().play("(deal queen)").play("(deal king)")
    belief = history.view("first").belief()
    assert belief.probability("(cards queen king)") == 0.5
    assert belief.probability("(said)") == 1.0
    assert belief.probability("(cards)") == 0.0


@pytest.mark.parametrize("player", ["ismcts", "uct", "hyperplay", "ismcts:fluents"])
def test_searches_play_it_as_they_do_again(kuhn: Game, player: str) -> None:
    played = [kuhn.match(player, "random", simulations=60, seed=3) for _ in range(2)]
    assert played[0].history.over
    assert played[0].history.moves == played[1].history.moves


def test_weights_of_chance_are_kept() -> None:
    game = fogspiel.load(Biased)
    assert game.begin().chance == {"one": Fraction(2, 3), "six": Fraction(1, 3)}
    assert game.solve().value["guesser"] == pytest.approx(2 / 3)
    played = game.machine.playouts(game.machine.initial()[None, :], seed=1, count=4000)
    assert played.mean_goals[1] == pytest.approx(0.5, abs=0.05)


def test_settings_become_arguments_of_the_constructor() -> None:
    place = Path(__file__).parents[1] / "python_games.py"
    small, large = (fogspiel.load(f"{place}:HiddenGoofspiel,cards={n}") for n in (2, 3))
    assert [len(game.begin().legal["first"]) for game in (small, large)] == [2, 3]
    assert small != large


def test_what_was_done_in_one_process_goes_to_another(kuhn: Game) -> None:
    history = kuhn.begin().play("(deal queen)").play("(deal king)").play("bet")
    again = pickle.loads(pickle.dumps([history, history.state, history.view("first")]))
    assert again[0].moves == history.moves
    assert again[1].fluents == history.state.fluents
    assert again[2].texts() == history.view("first").texts()
    assert again[0].play("pass").payoffs == {"first": 1, "second": -1}


def test_a_game_that_is_loaded_twice_has_the_same_states(kuhn: Game) -> None:
    again = fogspiel.load(KUHN)
    assert again == kuhn
    assert again.begin().play("(deal jack)").state == kuhn.begin().play("(deal jack)").state


def test_rules_as_text_are_refused(kuhn: Game) -> None:
    with pytest.raises(UsageError, match="GAM004"):
        _ = kuhn.loaded.program
    with pytest.raises(UsageError, match="GAM004"):
        fogspiel.load(KUHN, engine="compiled")


def test_a_strategy_is_of_the_code_that_it_was_made_for(tmp_path: Path) -> None:
    code = (EXAMPLES / "kuhn_poker.py").read_text("utf-8")
    own = tmp_path / "poker.py"
    own.write_text(code, "utf-8")
    game = fogspiel.load(f"{own}:KuhnPoker")
    game.solve().save(tmp_path / "poker.json")
    assert fogspiel.Solution.open(tmp_path / "poker.json", game).value["first"] < 0
    own.write_text(code.replace("chips = 2", "chips = 3"), "utf-8")
    with pytest.raises(UsageError, match="SOL022"):
        fogspiel.Solution.open(tmp_path / "poker.json", fogspiel.load(f"{own}:KuhnPoker"))
