"""Players of one's own in matches and series, and matches that are kept."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import fogspiel as fs
from fogspiel.core.findings import PlayError


class Cautious(fs.Player):
    """Passes wherever it can."""

    def choose(self, view: fs.View, legal: Sequence[fs.Move], clock: fs.Clock) -> str:
        return "pass" if "pass" in legal else legal[0]


class Answering(fs.Player):
    """Gives one answer to every question, right or wrong."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def choose(
        self, view: fs.View, legal: Sequence[fs.Move], clock: fs.Clock
    ) -> str | Mapping[str, float]:
        if isinstance(self.answer, Exception):
            raise self.answer
        told: str = self.answer
        return told


class Listening(fs.Player):
    """Keeps all that it is told."""

    def __init__(self) -> None:
        self.told: list[Any] = []

    def start(self, game: fs.Game, role: fs.Role, clock: fs.Clock) -> None:
        assert self.game is game
        self.told.append((game.name, role))

    def choose(self, view: fs.View, legal: Sequence[fs.Move], clock: fs.Clock) -> str:
        self.told.append((view, legal, clock.simulations))
        return legal[int(self.random.integers(len(legal)))]

    def stop(self) -> None:
        self.told.append("over")


def test_a_class_an_object_a_name_and_a_strategy_play(kuhn: fs.Game) -> None:
    solution = kuhn.solve("lp")
    for player in (Cautious, Cautious(), "random", solution, solution.strategy):
        match = kuhn.match(first=player, second="random", simulations=10, seed=3)
        assert match.over
        assert match.payoffs["first"] == -match.payoffs["second"]
    assert kuhn.match(Cautious, Cautious, seed=1).players == {
        "first": "Cautious",
        "second": "Cautious",
    }


def test_a_player_that_passes_never_bets(kuhn: fs.Game) -> None:
    for seed in range(10):
        match = kuhn.match(first=Cautious, second="random", seed=seed)
        assert all(step.moves["first"] in {"noop", "pass"} for step in match.steps)


def test_a_player_is_told_its_view_its_moves_and_its_clock(kuhn: fs.Game) -> None:
    player = Listening()
    match = kuhn.match(first=player, second=Cautious, simulations=77, seed=5)
    begun, (view, legal, simulations), *rest = player.told
    assert begun == ("kuhn_poker", "first")
    assert legal == ("bet", "pass")
    assert simulations == 77
    assert view == kuhn.history([step.moves for step in match.steps[:2]]).view("first")
    assert rest[-1] == "over"


def test_the_same_seed_gives_the_same_match(kuhn: fs.Game) -> None:
    matches = [
        kuhn.match(Listening, "ismcts", simulations=50, seed=seed) for seed in (4, 4, 5, 6, 7, 8)
    ]
    assert matches[0].history == matches[1].history
    assert len({match.history for match in matches}) > 2


def test_a_player_learns_nothing_of_another_state_of_its_information_set(kuhn: fs.Game) -> None:
    """Only the card of the second player differs, and the first player is told the same bytes."""
    told: dict[str, set[str]] = {}
    for seed in range(40):
        player = Listening()
        match = kuhn.match(first=player, second=Cautious, seed=seed)
        dealt = [step.moves["random"] for step in match.steps[:2]]
        view, legal, _ = player.told[1]
        told.setdefault(dealt[0], set()).add(repr((view, view.steps, legal, view.legal)))
    assert len(told) == 3
    assert all(len(texts) == 1 for texts in told.values())


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("call", "answered 'call'"),
        (7, "answered '7'"),
        (None, "answered 'None'"),
        ("(bet", r"answered '\(bet'"),
        ("noop", "answered 'noop'"),
        ({"bet": 0.7}, "sum to 0.7, not 1"),
        ({"call": 1.0}, "names 'call'"),
    ],
)
def test_a_wrong_answer_is_an_error_with_the_legal_moves(
    kuhn: fs.Game, answer: Any, told: str
) -> None:
    with pytest.raises(PlayError, match=told) as caught:
        kuhn.match(first=Answering(answer), second="random", simulations=10)
    assert caught.value.findings[0].code == "MAT001"
    assert "bet, pass" in caught.value.findings[0].fix


@pytest.mark.parametrize("answer", ["call", RuntimeError("no idea"), None])
def test_a_match_can_go_on_whatever_a_player_does(kuhn: fs.Game, answer: Any) -> None:
    match = kuhn.match(first=Answering(answer), second="random", simulations=10, on_fault="replace")
    assert match.over
    ((number, fault), *_) = match.faults["first"]
    assert number == 3
    assert fault.kind == ("error" if isinstance(answer, Exception) else "illegal_move")
    assert match.faults["second"] == []


def test_an_exception_of_a_trusted_player_is_its_own(kuhn: fs.Game) -> None:
    with pytest.raises(RuntimeError, match="no idea"):
        kuhn.match(first=Answering(RuntimeError("no idea")), second="random")


def test_probabilities_are_played_as_they_are_told(kuhn: fs.Game) -> None:
    sure = {"bet": 1.0}
    for seed in range(5):
        match = kuhn.match(first=Answering(sure), second="random", seed=seed)
        assert match.steps[2].moves["first"] == "bet"
    often = kuhn.series(Answering({"bet": 0.25, "pass": 0.75}), Cautious, games=200, seed=1)
    # A bet wins the ante of one who always passes; only a quarter of games is not a showdown.
    assert often.games == 200


@pytest.mark.parametrize("player", [int, 7, object()])
def test_what_is_no_player_is_refused(kuhn: fs.Game, player: Any) -> None:
    with pytest.raises(TypeError, match=r"fogspiel\.Player|a strategy is"):
        kuhn.match(player, "random")


def test_a_class_without_choose_is_refused(kuhn: fs.Game) -> None:
    class Silent(fs.Player):
        pass

    with pytest.raises(TypeError, match="choose"):
        kuhn.match(Silent, "random")


def test_players_are_needed_for_all_roles(kuhn: fs.Game) -> None:
    with pytest.raises(ValueError, match="roles to play are first, second"):
        kuhn.match("random")
    with pytest.raises(ValueError, match="no role 'third'"):
        kuhn.match(first="random", third="random")
    with pytest.raises(ValueError, match="both were given"):
        kuhn.match("random", "random", seconds=1.0, simulations=10)


def test_a_series_counts_in_the_unit_of_the_game(kuhn: fs.Game) -> None:
    series = kuhn.series("random", Cautious, games=100, swap=True, seed=2)
    assert series.games == 100
    first, second = series.totals
    assert (first.player, second.player) == ("random", "Cautious")
    assert first.payoff == pytest.approx(-second.payoff)
    assert first.interval is not None
    low, high = first.interval
    assert low < first.payoff < high
    assert first.wins + first.draws + first.losses == 100
    assert len(series.rows) == 4
    assert repr(series).startswith("Series('kuhn_poker', 100 games: random ")


def test_a_match_is_saved_and_proved_when_it_is_opened(kuhn: fs.Game, tmp_path: Path) -> None:
    match = kuhn.match("random", Cautious, simulations=10, seed=9)
    path = tmp_path / "match.jsonl"
    match.save(path)
    again = fs.Match.open(path)
    assert again.history == match.history
    assert again.players == match.players
    assert again.payoffs == match.payoffs
    with pytest.raises(ValueError, match="MAT013"):
        match.save(path)
    lines = path.read_text().splitlines()
    step = json.loads(lines[2])
    step["moves"][0] = "(deal king)" if step["moves"][0] != "(deal king)" else "(deal jack)"
    path.write_text("\n".join([*lines[:2], json.dumps(step), *lines[3:]]))
    with pytest.raises(PlayError, match="the record says"):
        fs.Match.open(path)


def test_playouts_are_a_report_in_the_unit(kuhn: fs.Game) -> None:
    report = kuhn.playouts(20_000, seed=1)
    assert report == kuhn.playouts(20_000, seed=1)
    # Uniformly random play is worth an eighth of a chip to the first player, by the exact tree.
    tree = kuhn.tree()
    assert tree.values(tree.uniform())["first"] == pytest.approx(0.125)
    assert report.payoffs["first"] == pytest.approx(0.125, abs=0.05)
    assert report.goals["first"] == pytest.approx(50 + 25 * report.payoffs["first"])
    with pytest.raises(ValueError, match="at least 1; got 0"):
        kuhn.playouts(0)
