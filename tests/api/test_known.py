"""What a view leaves certain: enough to draw a board, and nothing that the player cannot infer."""

from __future__ import annotations

import pytest

import fogspiel as fs
from fogspiel.api.known import Known


def test_the_state_is_known_where_nothing_is_hidden() -> None:
    game = fs.load("tic_tac_toe")
    history = game.begin().play("(mark 1 1)")
    for role in game.players:
        known = history.view(role).known()
        assert known == Known(states=1, certain=history.state.fluents, open=())
        assert known == history.state.known()


@pytest.mark.parametrize("seed", range(4))
def test_hidden_facts_are_open_and_not_certain(kuhn: fs.Game, seed: int) -> None:
    view = kuhn.begin().play_out(seed, 2).view("second")
    known = view.known()
    assert known is not None
    # The own card is certain, the two that the other may hold are not.
    assert known.states == 2
    assert sum(fact.startswith("(holds first") for fact in known.certain) == 0
    assert sum(fact.startswith("(holds first") for fact in known.open) == 2
    assert sum(fact.startswith("(holds second") for fact in known.certain) == 1


def test_deals_that_a_player_cannot_tell_apart_leave_the_same_certain(kuhn: fs.Game) -> None:
    told: dict[str, set[Known | None]] = {}
    for seed in range(12):
        view = kuhn.begin().play_out(seed, 2).view("second")
        told.setdefault(str(view), set()).add(view.known())
    assert len(told) == 3
    assert all(len(known) == 1 for known in told.values())


def test_views_of_any_length_and_order_can_be_asked(kuhn: fs.Game) -> None:
    views = [
        kuhn.begin().play_out(seed, steps).view("first") for steps in (3, 1, 2) for seed in (1, 2)
    ]
    fresh = [
        fs.load("kuhn_poker").view("first", [(s.move, s.sees) for s in v.steps]) for v in views
    ]
    assert [view.known() for view in views] == [view.known() for view in fresh]


def test_nothing_is_said_where_too_much_is_possible(kuhn: fs.Game) -> None:
    view = kuhn.begin().play_out(1, 2).view("second")
    assert view.known(max_histories=1) is None
    assert view.known(max_histories=2) is not None


def test_a_view_that_cannot_be_is_an_error(kuhn: fs.Game) -> None:
    impossible = kuhn.view("first", [("noop", ["(holds first jack)"]), ("noop", []), ("noop", [])])
    with pytest.raises(fs.PlayError, match="BEL001"):
        impossible.known()
