"""A person is asked wherever there is a choice, sees what the role knows, and is understood."""

from __future__ import annotations

import pytest

from fogspiel.core.budget import Budget
from fogspiel.core.terms import RoleId
from fogspiel.games.load import load
from fogspiel.machine.protocol import player_roles
from fogspiel.play.loop import play_match
from fogspiel.players.catalogue import make_player
from fogspiel.players.human import HumanPlayer, HumanView, Known, meant
from fogspiel.players.protocol import Agent

MOVES = ["(mark 1 1)", "(mark 1 2)", "(mark 2 1)", "noop", "(give (card king) 3)"]


def asked_in(game: str, role: int, seed: int = 1) -> tuple[list[HumanView], HumanPlayer]:
    """The views of a person who always takes the first move."""
    machine, situations = load(game).machine, list[HumanView]()

    def ask(situation: HumanView) -> int:
        situations.append(situation)
        return 0

    person = HumanPlayer(ask)
    players: dict[RoleId, Agent] = {
        other: person if other == role else make_player("random") for other in player_roles(machine)
    }
    budget = Budget.of(simulations=1)
    play_match(machine, players, start_budget=lambda: budget, turn_budget=lambda: budget, seed=seed)
    return situations, person


def test_the_state_is_shown_where_nothing_is_hidden() -> None:
    situations, person = asked_in("tic_tac_toe", role=0)
    assert situations[0].known == Known(states=1, certain=(("control", "x"),), open=())
    assert situations[0].steps == ()
    assert len(situations[0].moves) == 9
    second = situations[1]
    assert second.known is not None
    assert ("cell", "1", "1", "x") in second.known.certain
    assert (second.known.states, second.known.open) == (1, ())
    assert [step.number for step in second.steps] == [1, 2]
    assert second.steps[0].move == "(mark 1 1)"
    # All moves are seen, and the opponent's turn was passed without a question.
    assert second.steps[1].move == "noop"
    assert any(percept.startswith("(does o (mark") for percept in second.steps[1].percepts)
    assert len(person.seen_steps()) >= 5


@pytest.mark.parametrize("seed", range(4))
def test_a_hidden_state_is_not_shown(seed: int) -> None:
    (situation, *_), _ = asked_in("kuhn_poker", role=1, seed=seed)
    assert situation.known is not None
    # The own card is certain, the two that the other may hold are not.
    assert situation.known.states == 2
    assert sum(fluent[:2] == ("holds", "second") for fluent in situation.known.open) == 2
    assert not any(fluent[:2] == ("holds", "second") for fluent in situation.known.certain)
    assert sum(fluent[:2] == ("holds", "first") for fluent in situation.known.certain) == 1
    seen = [percept for step in situation.steps for percept in step.percepts]
    # The own card, and nothing of the other's.
    assert len(seen) == 1
    assert seen[0].startswith("(holds first ")


@pytest.mark.parametrize(
    ("answer", "places"),
    [
        ("(mark 1 2)", [1]),
        ("mark 1 2", [1]),
        ("  ( mark  1 2 ) ", [1]),
        ("2", [1]),
        ("5", [4]),
        ("6", []),
        ("0", []),
        ("n", [3]),
        ("noop", [3]),
        ("(mark 2", [2]),
        ("mark 1", [0, 1]),
        ("mark", [0, 1, 2]),
        ("give", [4]),
        ("give (card king", [4]),
        ("(give (card king) 3)", [4]),
        ("give (card king) 3", [4]),
        ("ark", []),
        ("", []),
        ("()", []),
        (")(", []),
        ("²", []),
    ],
)
def test_an_answer_is_understood(answer: str, places: list[int]) -> None:
    assert meant(answer, MOVES) == places


def test_a_move_that_is_a_number_wins_over_a_place() -> None:
    assert meant("2", ["2", "1"]) == [0]
    assert meant("noop", ["noop_later", "noop"]) == [1]


def test_what_a_person_is_shown_depends_on_what_the_role_saw_alone() -> None:
    """Deals that differ in the opponent's card alone look the same before the first move."""
    shown: dict[str, set[HumanView]] = {}
    for seed in range(12):
        (situation, *_), _ = asked_in("kuhn_poker", role=1, seed=seed)
        (card,) = (percept for step in situation.steps for percept in step.percepts)
        shown.setdefault(card, set()).add(situation)
    assert len(shown) == 3
    assert all(len(situations) == 1 for situations in shown.values())
