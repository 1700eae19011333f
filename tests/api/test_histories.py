"""Games, histories and states as a user of the library meets them."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import fogspiel as fs
from fogspiel.core.findings import RulesError, UsageError
from fogspiel.games.library import bundled_games, game_source
from fogspiel.machine.protocol import Machine


@pytest.fixture(scope="module")
def tic_tac_toe() -> fs.Game:
    return fs.load("tic_tac_toe")


@pytest.fixture(scope="module")
def dealt(kuhn: fs.Game) -> fs.History:
    return kuhn.begin().play(random="(deal queen)").play(random="(deal king)")


def test_a_game_tells_its_players_and_chance(kuhn: fs.Game) -> None:
    assert kuhn.players == ("first", "second")
    assert kuhn.chance == "random"
    assert repr(kuhn) == "Game('kuhn_poker', players=('first', 'second'), chance='random')"


def test_a_game_comes_from_a_path_a_name_or_a_text(tmp_path: Path, kuhn: fs.Game) -> None:
    path = tmp_path / "kuhn.gdl"
    path.write_text(game_source("kuhn_poker").text)
    assert fs.load(path).players == fs.load(str(path)).players == kuhn.players
    assert fs.read(path.read_text(), name="kuhn").begin().chance == kuhn.begin().chance


def test_rules_without_a_game_are_an_error_with_findings() -> None:
    with pytest.raises(fs.FogspielError, match="GDL") as caught:
        fs.read("(role a)")
    assert caught.value.findings
    assert isinstance(caught.value, RulesError)


def test_an_unknown_name_is_a_value_error_that_knows_the_nearest_one() -> None:
    with pytest.raises(ValueError, match="did you mean kuhn_poker"):
        fs.load("kuhn_pokr")


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: fs.load("kuhn_poker", engine="turbo"), "engine must be one of"),  # type: ignore[arg-type]
        (lambda: fs.load("kuhn_poker", ground_seconds=0.0), "must be more than 0; got 0"),
    ],
)
def test_a_wrong_argument_is_a_value_error(make: Callable[[], fs.Game], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        make()


def test_rules_that_are_no_text_are_a_type_error() -> None:
    with pytest.raises(TypeError, match="got PosixPath"):
        fs.read(Path("x"))  # type: ignore[arg-type]


def test_moves_and_roles_are_strings_that_know_their_ids(kuhn: fs.Game) -> None:
    (role, *_), start = kuhn.players, kuhn.begin()
    assert role == "first"
    assert kuhn.machine.roles[role.id] == "first"
    move = start.legal["random"][0]
    assert move == "(deal jack)"
    assert repr(move) == "Move('(deal jack)')"
    assert kuhn.machine.move_term(start.game.roles[0].id, move.id) == ("deal", "jack")
    assert pickle.loads(pickle.dumps((role, move))) == (role, move)
    assert pickle.loads(pickle.dumps(move)).id == move.id


def test_chance_is_told_with_exact_probabilities(kuhn: fs.Game) -> None:
    third = Fraction(1, 3)
    chances = {"(deal jack)": third, "(deal king)": third, "(deal queen)": third}
    assert kuhn.begin().chance == chances
    assert kuhn.begin().to_move == ()


def test_forced_moves_are_filled_in(dealt: fs.History) -> None:
    assert dealt.to_move == ("first",)
    assert dealt.legal["first"] == ("bet", "pass")
    assert dealt.legal["second"] == ("noop",)
    assert dealt.play(first="bet").moves[-1] == {"random": "noop", "first": "bet", "second": "noop"}


@pytest.mark.parametrize(
    "as_text", ["(deal queen)", "( deal   queen )", "(deal queen) ; a comment"]
)
def test_a_move_is_read_however_it_is_spaced(kuhn: fs.Game, as_text: str) -> None:
    assert kuhn.begin().play(as_text).moves[0]["random"] == "(deal queen)"


def test_a_single_choice_needs_no_role(dealt: fs.History) -> None:
    assert dealt.play("bet") == dealt.play(first="bet") == dealt.play({"first": "bet"})


@pytest.mark.parametrize(
    ("moves", "code", "told"),
    [
        ({"third": "bet"}, "API001", "its roles are random, first, second"),
        ({"first": "call"}, "API002", "legal: bet, pass"),
        ({"first": "bett"}, "API002", "did you mean bet"),
        ({"first": "(bet"}, "API002", "no legal move '\\(bet'"),
        ({"first": 7}, "API002", "no legal move 7"),
        ({"first": "(deal queen)"}, "API002", "legal: bet, pass"),
        ({"second": "bet"}, "API002", "legal: noop"),
        ({}, "API003", "give one of its legal moves: bet, pass"),
    ],
)
def test_a_wrong_move_is_refused_with_what_would_do(
    dealt: fs.History, moves: dict[str, str], code: str, told: str
) -> None:
    with pytest.raises(ValueError, match=told) as caught:
        dealt.play(moves)
    assert isinstance(caught.value, UsageError)
    assert caught.value.findings[0].code == code


def test_a_single_text_where_two_choose_is_refused() -> None:
    with pytest.raises(ValueError, match="first, second has a choice here"):
        fs.load("prisoners_dilemma").begin().play("cooperate")


def test_nobody_moves_after_the_end_and_nobody_is_paid_before(dealt: fs.History) -> None:
    with pytest.raises(ValueError, match="API004"):
        _ = dealt.payoffs
    over = dealt.play(first="bet").play(second="pass")
    assert over.over
    assert over.legal == {}
    assert over.to_move == ()
    with pytest.raises(ValueError, match="the game is over"):
        over.play()


def test_payoffs_are_in_chips_and_goals_as_the_rules_count(dealt: fs.History) -> None:
    over = dealt.play(first="bet").play(second="bet")
    assert over.payoffs == {"first": -2.0, "second": 2.0}
    assert over.goals == {"first": Fraction(0), "second": Fraction(100)}
    assert repr(over) == f"History('kuhn_poker', {len(over)} steps, over: first -2, second 2)"


def test_histories_are_values(kuhn: fs.Game, dealt: fs.History) -> None:
    again = kuhn.begin().play(random="(deal queen)").play(random="(deal king)")
    other = kuhn.begin().play(random="(deal queen)").play(random="(deal jack)")
    assert again == dealt != other
    assert hash(again) == hash(dealt)
    assert len({again, dealt, other}) == 2
    assert pickle.loads(pickle.dumps(dealt)) == dealt
    assert dealt.before is not None
    assert dealt.before.play(random="(deal king)") == dealt
    assert len(dealt) == 2


def test_a_history_is_made_again_from_its_moves(kuhn: fs.Game, dealt: fs.History) -> None:
    assert kuhn.history(dealt.moves) == dealt
    assert kuhn.history(dealt.joints) == dealt
    assert kuhn.history([list(step.values()) for step in dealt.moves]) == dealt
    with pytest.raises(ValueError, match="got 2"):
        kuhn.history([["noop", "noop"]])


def test_random_play_follows_the_seed(tic_tac_toe: fs.Game) -> None:
    start = tic_tac_toe.begin()
    assert start.play_out(seed=5) == start.play_out(seed=5)
    assert len({start.play_out(seed) for seed in range(20)}) > 10
    assert start.play_out(seed=1).over
    assert len(start.play_out(1, steps=3)) == 3


def test_percepts_of_the_last_step_are_told_by_role(kuhn: fs.Game) -> None:
    first = kuhn.begin().play(random="(deal queen)")
    assert first.sees == {"first": ("(holds first queen)",), "second": ()}
    assert kuhn.begin().sees == {"first": (), "second": ()}


def test_without_sees_everybody_sees_the_joint_move(tic_tac_toe: fs.Game) -> None:
    seen = tic_tac_toe.begin().play(x="(mark 2 2)").sees["o"]
    assert "(does x (mark 2 2))" in seen


def test_a_state_is_a_set_of_facts(dealt: fs.History) -> None:
    state = dealt.state
    assert "(holds first queen)" in state
    assert "(holds  first   queen)" in state
    assert "(holds first king)" not in state
    assert set(state) == set(state.fluents)
    assert len(state) == len(state.fluents)
    assert dealt.game.state(state.fluents) == state
    assert dealt.game.state(state.bits) == state
    assert pickle.loads(pickle.dumps(state)) == state
    assert hash(pickle.loads(pickle.dumps(state))) == hash(state)


def test_the_bits_of_a_state_cannot_be_changed(dealt: fs.History) -> None:
    with pytest.raises(ValueError, match="read-only"):
        dealt.state.bits[0] = np.uint64(7)


def test_a_fact_that_the_rules_do_not_know_is_refused(kuhn: fs.Game) -> None:
    with pytest.raises(ValueError, match="API005"):
        kuhn.state(["(holds first joker)"])
    with pytest.raises(ValueError, match="no term in prefix notation"):
        _ = "(holds first" in kuhn.begin().state


def test_different_ways_to_a_state_lead_to_equal_states(tic_tac_toe: fs.Game) -> None:
    start = tic_tac_toe.begin()
    one = start.play("(mark 1 1)").play("(mark 2 2)").play("(mark 3 3)")
    other = start.play("(mark 3 3)").play("(mark 2 2)").play("(mark 1 1)")
    assert one != other
    assert one.state == other.state


def test_a_pickled_game_plays_on(kuhn: fs.Game) -> None:
    again = pickle.loads(pickle.dumps(kuhn))
    assert again == kuhn
    assert hash(again) == hash(kuhn)
    assert again.begin().play("(deal king)").sees["first"] == ("(holds first king)",)
    assert again.begin() == kuhn.begin()
    assert fs.load("kuhn_poker", engine="reference") != kuhn


@pytest.mark.parametrize("name", ["latent_tic_tac_toe", "kuhn_poker_pogddl", "goofspiel_4"])
def test_engines_agree_on_histories(name: str) -> None:
    compiled, proved = fs.load(name), fs.load(name, engine="reference")
    one = compiled.begin().play_out(seed=3)
    other = proved.history(one.moves)
    assert [dict(step) for step in other.moves] == [dict(step) for step in one.moves]
    assert other.payoffs == one.payoffs
    assert {role: set(seen) for role, seen in other.sees.items()} == {
        role: set(seen) for role, seen in one.sees.items()
    }


LARGE = ("chess", "checkers", "battleship", "othello", "racko")  #: They take seconds to compile


@pytest.mark.parametrize("name", [n for n in bundled_games() if not n.startswith(LARGE)])
def test_every_bundled_game_begins(name: str) -> None:
    start = fs.load(name).begin()
    assert not start.over
    assert start.to_move or start.chance or all(len(own) == 1 for own in start.legal.values())
    assert repr(start).startswith("History(")


class CountingMachine:
    """A machine that counts what it is asked."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.asked: Counter[str] = Counter()

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.machine, name)
        if not callable(found):
            return found

        def counted(*arguments: Any) -> Any:
            self.asked[name] += 1
            return found(*arguments)

        return counted


def test_every_step_asks_the_machine_as_little_as_the_first(tic_tac_toe: fs.Game) -> None:
    """Nothing else takes long, so that 20,000 steps a second are possible."""
    machine = CountingMachine(tic_tac_toe.machine)
    game = fs.Game.of_machine(cast(Machine, machine))
    record = tic_tac_toe.begin().play_out(seed=3).moves
    game.history(record)  # from now on the moves have names
    history = game.begin()
    for step in record:
        machine.asked.clear()
        history = history.play(step)
        assert machine.asked == {"terminal": 1, "legal": 2, "step": 1}
    machine.asked.clear()
    assert history.over
    _ = history.over, history.legal, history.to_move, history.chance
    assert machine.asked == {"terminal": 1}
