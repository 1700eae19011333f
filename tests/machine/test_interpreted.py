"""POGDDL played as written, against states, percepts and payoffs worked out by hand."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from pogddl_machines import POKER, after, fluents, interpreted_of, joint_of, legal_texts, told

from fogspiel.core.findings import PlayError, RulesError
from fogspiel.core.source import Source
from fogspiel.core.terms import GroundTerm, MoveId, RoleId
from fogspiel.machine.interpreter.machine import InterpretedMachine
from fogspiel.machine.protocol import Machine
from fogspiel.rules.pogddl.check.checks import read_and_check
from pogddl_games import CARDS, CART, GAMES, NOUGHTS

POKER_PAYOFFS = {  # (stronger, max, min): (max, min)
    ("max", "bet", "bet"): (2, 0),
    ("max", "bet", "pass"): (1, 0),
    ("max", "pass", "bet"): (0, 1),
    ("max", "pass", "pass"): (1, 0),
    ("min", "bet", "bet"): (0, 2),
    ("min", "bet", "pass"): (1, 0),
    ("min", "pass", "bet"): (0, 1),
    ("min", "pass", "pass"): (0, 1),
}


def test_a_hand_of_poker_goes_as_in_the_figure() -> None:
    machine = interpreted_of(POKER)
    assert machine.engine == "reference"
    assert machine.roles == ("max", "min", "chance")
    assert machine.chance_role == 2
    assert machine.goal_scale == 1
    state = machine.initial()
    # Who gambles, and against whom, never changes: that is no part of the state.
    assert fluents(machine, state) == {"(whoseturn chance)", "(= pot 1)"}
    assert legal_texts(machine, state, "chance") == ["(deal max)", "(deal min)"]
    assert legal_texts(machine, state, "max") == legal_texts(machine, state, "min") == ["noop"]
    assert machine.chance_weights(state).tolist() == [0.5, 0.5]
    assert told(machine, state, ("deal", "min")) == {
        "max": {"(stronger min)"},
        "min": {"(stronger unknown)"},
        "chance": set(),
    }
    state = after(machine, ("deal", "min"), ("first", "bet"))
    assert fluents(machine, state) == {
        "(whoseturn min)", "(strong min)", "(decided max bet)", "(= pot 1)",
    }  # fmt: skip
    assert legal_texts(machine, state, "min") == ["(second bet)", "(second pass)"]
    everybody = {"(min-played bet)"}
    assert told(machine, state, ("second", "bet")) == dict.fromkeys(machine.roles, everybody)
    state = after(machine, ("deal", "min"), ("first", "bet"), ("second", "bet"))
    assert fluents(machine, state) == {
        "(strong min)", "(decided max bet)", "(decided min bet)", "(= pot 2)",
    }  # fmt: skip


@pytest.mark.parametrize("course", POKER_PAYOFFS)
def test_poker_pays_as_in_the_figure(course: tuple[str, str, str]) -> None:
    machine = interpreted_of(POKER)
    stronger, first, second = course
    state = after(machine, ("deal", stronger), ("first", first))
    assert not machine.terminal(state)
    state = after(machine, ("deal", stronger), ("first", first), ("second", second))
    assert machine.terminal(state)  # since nobody is to move
    assert machine.goals(state) == (*POKER_PAYOFFS[course], 0)
    assert machine.goal_values(state, RoleId(0)) == (POKER_PAYOFFS[course][0],)
    assert [legal_texts(machine, state, role) for role in machine.roles] == [["noop"]] * 3


def test_cards_are_dealt_in_secret_and_compared_by_what_is_derived() -> None:
    machine = interpreted_of(CARDS)
    first: GroundTerm = ("deal", "ann", "ben", "king")
    assert told(machine, machine.initial(), first) == {
        "ann": {"(dealt ann king)"}, "ben": {"(dealt ann _)"}, "chance": {"(dealt ann _)"},
    }  # fmt: skip
    # Ann is served first: of ben, nothing can be dealt before.
    assert legal_texts(machine, machine.initial(), "chance") == [
        "(deal ann ben jack)", "(deal ann ben king)", "(deal ann ben queen)",
    ]  # fmt: skip
    second: GroundTerm = ("deal", "ben", "chance", "jack")
    state = after(machine, first, second)
    assert fluents(machine, state) == {
        "(whoseturn ann)", "(indeck queen)", "(holds ann king)", "(holds ben jack)",
        "(served ann)", "(served ben)", "(= pot 2)", "(= (chips ann) 9)", "(= (chips ben) 9)",
    }  # fmt: skip
    bets: tuple[GroundTerm, ...] = (("say", "ann", "ben", "bet"), ("say", "ben", "chance", "bet"))
    state = after(machine, first, second, *bets)
    assert machine.terminal(state)
    # Each put in two chips in all. The king beats the jack over the queen, and takes the four.
    assert machine.goals(state) == (8 - 10 + 4, 8 - 10, 0)


def test_a_line_of_noughts_wins() -> None:
    machine = interpreted_of(NOUGHTS)
    moves: list[GroundTerm] = [
        ("place", "x", "o", "two", "two"), ("place", "o", "x", "one", "two"),
        ("place", "x", "o", "one", "three"), ("place", "o", "x", "one", "one"),
    ]  # fmt: skip
    state = after(machine, *moves)
    assert not machine.terminal(state)
    assert machine.goals(state) == (0, 0)
    assert len(legal_texts(machine, state, "x")) == 5
    state = after(machine, *moves, ("place", "x", "o", "three", "one"))
    assert machine.terminal(state)
    assert machine.goals(state) == (1, 0)


def test_a_full_board_ends_noughts_since_nobody_can_move() -> None:
    machine = interpreted_of(NOUGHTS)
    rows = ("x x o", "o o x", "x o x")  # no line of three
    lines = ("one", "two", "three")
    marks: list[GroundTerm] = [
        ("mark", mark, lines[a], lines[b])
        for a, row in enumerate(rows)
        for b, mark in enumerate(row.split())
    ]
    state = machine.state_of([*marks, ("whoseturn", "o")])
    assert machine.terminal(state)
    assert machine.goals(state) == (0, 0)
    assert legal_texts(machine, state, "o") == []
    assert legal_texts(machine, state, "x") == ["noop"]


def test_chance_draws_by_weight_where_a_choice_holds() -> None:
    machine = interpreted_of(CART)
    state = after(machine, "push")
    assert legal_texts(machine, state, "chance") == ["(roll a b)", "(slip a)"]
    assert weights(machine, after(machine, "push")) == {
        ("roll", "a", "b"): pytest.approx(2 / 3),
        ("slip", "a"): pytest.approx(1 / 3),
    }
    # On the dry cell no choice holds.
    state = after(machine, "push", ("roll", "a", "b"), "push")
    assert weights(machine, state) == {("roll", "b", "c"): 1.0}
    # Where the driver moves, chance has its idle move.
    assert weights(machine, machine.initial()) == {"noop": 1.0}


def weights(machine: Machine, state: np.ndarray) -> dict[GroundTerm, float]:
    """The probabilities of the moves of chance."""
    role = machine.chance_role
    assert role is not None
    moves = [machine.move_term(role, move) for move in machine.legal(state, role)]
    return dict(zip(moves, machine.chance_weights(state).tolist(), strict=True))


def test_the_cart_counts_and_pays() -> None:
    machine = interpreted_of(CART)
    roll: list[GroundTerm] = ["push", ("roll", "a", "b"), "push", ("roll", "b", "c"), "push"]
    state = after(machine, *roll)
    assert machine.terminal(state)
    assert fluents(machine, state) == {
        "(at c)", "(whoseturn chance)", "(= fuel 0)", "(= (bonus driver) 1)",
        "(= (bonus chance) 0)",
    }  # fmt: skip
    assert machine.goals(state) == (1 + 5, 0)  # two gains of the driver, summed
    assert told(machine, after(machine, "push"), ("roll", "a", "b")) == {
        "driver": {"(reached b)"}, "chance": {"(reached _)"},
    }  # fmt: skip
    assert told(machine, machine.initial(), "push") == {"driver": {"pushed"}, "chance": set()}
    slipped = {"slipped"}
    assert told(machine, after(machine, "push"), ("slip", "a")) == {
        "driver": slipped, "chance": slipped,
    }  # fmt: skip


def test_random_play_draws_chance_by_weight() -> None:
    """Rolling is twice as likely as slipping: of 3,000 draws, 2,000 with a deviation of 26."""
    machine = interpreted_of(DRAWS)
    played = machine.playouts(machine.initial()[None, :], seed=3, count=3_000)
    assert played.steps == 3_000
    assert abs(int(played.goal_sums[0, 0]) - 2_000) < 4 * 26


DRAWS = """
(define (domain draws)
  (:types role side)
  (:constants ann chance - role heads tails - side)
  (:predicates (whoseturn ?r - role) (up ?s - side))
  (:action toss :parameters (?s - side) :precondition (whoseturn chance)
    :effect (and (not (whoseturn chance)) (up ?s)))
  (:choose :parameters () :select (2 (toss heads) 1 (toss tails)))
  (:gain ann 1 (up heads)))
(define (problem p) (:domain draws) (:init (whoseturn chance)))
"""


@pytest.mark.parametrize("text", [*GAMES.values(), POKER], ids=[*GAMES, "poker"])
def test_playouts_do_not_depend_on_what_was_met_before(text: str) -> None:
    fresh, used = interpreted_of(text), interpreted_of(text)
    used.playouts(used.initial()[None, :], seed=8, count=5)
    first, second = (m.playouts(m.initial()[None, :], seed=2, count=20) for m in (fresh, used))
    assert first.goal_sums.tobytes() == second.goal_sums.tobytes()
    assert (first.steps, first.stuck, first.cut) == (second.steps, 0, 0)


@pytest.mark.parametrize("text", [*GAMES.values(), POKER], ids=[*GAMES, "poker"])
def test_a_state_comes_back_from_its_fluents(text: str) -> None:
    machine, other = interpreted_of(text), interpreted_of(text)
    state = machine.initial()
    while not machine.terminal(state):
        terms = machine.fluent_terms(state)
        assert machine.key(machine.state_of(reversed(terms))) == machine.key(state)
        there = other.state_of(terms)
        assert set(other.fluent_terms(there)) == set(terms)
        assert other.goals(there) == machine.goals(state)
        expansion = machine.expand(state)
        roles = range(len(machine.roles))
        legal = [machine.legal(state, RoleId(role)) for role in roles]
        assert [tuple(joint) for joint in expansion.joints.tolist()] == list(product(*legal))
        state = expansion.states[-1]


@pytest.mark.parametrize(
    "fluent",
    ["nothing", ("holds", "ann"), ("holds", "ann", "ace"), ("higher", "king", "queen"),
     ("=", "pot", "many"), ("=", "pot", "1/0"), ("=", ("pot", "ann"), "1"), ("=", "ante", "1"),
     ("holds", ("ann",), "king")],
)  # fmt: skip
def test_a_term_that_no_state_has_is_refused(fluent: GroundTerm) -> None:
    with pytest.raises(PlayError, match="MCH005"):
        interpreted_of(CARDS).state_of([fluent])


def test_illegal_and_unknown_moves_are_refused() -> None:
    machine = interpreted_of(CARDS)
    state = machine.initial()
    early = machine.move_id(RoleId(2), ("deal", "ben", "chance", "jack"))
    with pytest.raises(PlayError, match=r"MCH001.*\(deal ben chance jack\)"):
        machine.step(state, [MoveId(0), MoveId(0), early])
    with pytest.raises(PlayError, match="MCH002"):
        machine.step(state, [MoveId(0), MoveId(0), MoveId(-1)])
    with pytest.raises(PlayError, match="MCH002"):
        machine.percepts(state, [MoveId(0), MoveId(0), MoveId(99)], RoleId(0))
    with pytest.raises(ValueError, match="joint move"):
        machine.step(state, [MoveId(0), MoveId(0)])
    unknown: list[GroundTerm] = [
        "deal", ("deal", "ann", "ben", "bet"), ("deal", ("ann",), "ben", "king"), "fly",
    ]  # fmt: skip
    for term in unknown:
        with pytest.raises(PlayError, match="MCH002"):
            machine.move_id(RoleId(2), term)


def test_batched_answers_are_the_single_ones() -> None:
    machine = interpreted_of(CART)
    states = np.stack([machine.initial(), after(machine, "push")])
    joints = np.array([joint_of(machine, states[0], "push"), joint_of(machine, states[1], "noop")])
    assert machine.terminal_batch(states).tolist() == [False, False]
    assert machine.goals_batch(states).tolist() == [[10, 0], [7, 0]]
    rows = machine.step_batch(states, joints.astype(np.int32))
    for row, state, joint in zip(rows, states, joints.tolist(), strict=True):
        assert machine.key(row) == machine.key(machine.step(state, joint))


def test_a_domain_alone_cannot_be_played() -> None:
    domain = CARDS[: CARDS.index("(define (problem")]
    description, _ = read_and_check([Source("game.pogddl", domain)])
    with pytest.raises(RulesError, match="POG009"):
        InterpretedMachine(description)
