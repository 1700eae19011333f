"""The POGDDL games as trees: the same as their twins in GDL, the information sets of figure 3.2.

Every game is checked for findings, readable text, an end of random play and payoffs that sum to 0.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

import numpy as np
import pytest
from histories import (
    Child,
    Explorer,
    Knowledge,
    Position,
    check_knowledge_by_resampling,
    count_tree,
    explorer,
    extend,
    mean_goals,
)
from planning import begin, numbers, on_turn, planned, play

from fogspiel.core.terms import RoleId
from fogspiel.games.library import POGDDL, bundled_games, game_source
from fogspiel.machine.protocol import State
from games_by_language import games_in

GAMES = games_in(POGDDL)
CELLS = {
    f"{row} {column}": f"{'abc'[row - 1]}{column}" for row in (1, 2, 3) for column in (1, 2, 3)
}

Translation: TypeAlias = Callable[[str, str], str]
"""Translates a move of a role from POGDDL to GDL."""


def simple_poker_move(_: str, move: str) -> str:
    """`(max-choice pass)` is `fold`."""
    return {
        "(deal-stronger max)": "(king first)", "(deal-stronger min)": "(king second)",
        "(max-choice bet)": "bet", "(max-choice pass)": "fold",
        "(min-choice bet)": "bet", "(min-choice pass)": "fold",
    }.get(move, move)  # fmt: skip


def kuhn_poker_move(role: str, move: str) -> str:
    """`(bet first)` is `bet`; cards are dealt by the same words."""
    return {f"(bet {role})": "bet", f"(pass {role})": "pass"}.get(move, move)


def marking_move(role: str, move: str) -> str:
    """`(mark x b3)` is `(mark 2 3)`."""
    return {f"(mark {role} {cell})": f"(mark {place})" for place, cell in CELLS.items()}.get(
        move, move
    )


class Twins:
    """A game in POGDDL and in GDL, played side by side.

    Both must have the same moves, end and payoffs, and roles must know the same in both: equal
    knowledge in the one is equal knowledge in the other.
    """

    def __init__(self, base: str, roles: dict[str, str], move: Translation, unit: int) -> None:
        self.own, self.other = planned(f"{base}_pogddl"), explorer(base)
        self.places = [self.other.roles.index(roles[name]) for name in self.own.roles]
        self.move, self.unit = move, unit
        self.paired: dict[tuple[int, Knowledge], Knowledge] = {}
        self.back: dict[tuple[int, Knowledge], Knowledge] = {}

    def children(
        self, own: State, other: State, known: list[Knowledge], twin: list[Knowledge]
    ) -> list[tuple[Child, Child]]:
        """The steps from a pair of states that must say the same, in pairs."""
        here, there = self.own.position(own), self.other.position(other)
        self._compare(here, there)
        for role, place in enumerate(self.places):
            if role == self.own.machine.chance_role:
                continue  # what chance sees is of no use
            assert self.paired.setdefault((role, known[role]), twin[place]) == twin[place]
            assert self.back.setdefault((role, twin[place]), known[role]) == known[role]
        by_joint = {child.joint: child for child in there.children}
        return [(child, by_joint[self._joint(child)]) for child in here.children]

    def _compare(self, here: Position, there: Position) -> None:
        assert here.terminal == there.terminal
        for role, place in enumerate(self.places):
            moves = [self.move(self.own.roles[role], move) for move in here.moves[role]]
            assert sorted(moves) == sorted(there.moves[place])
            if here.terminal and role != self.own.machine.chance_role:
                assert (there.goals[place][0] - 50) == self.unit * here.goals[role][0]

    def _joint(self, child: Child) -> tuple[str, ...]:
        joint = [""] * len(self.places)
        for role, place in enumerate(self.places):
            joint[place] = self.move(self.own.roles[role], child.joint[role])
        return tuple(joint)

    def start(self) -> tuple[State, State, list[Knowledge], list[Knowledge]]:
        """Both games at their start, where nobody knows anything."""
        nothing: list[Knowledge] = [() for _ in self.places]
        return self.own.machine.initial(), self.other.machine.initial(), nothing, nothing


POKERS = [
    ("simple_poker", {"max": "first", "min": "second", "chance": "random"}, simple_poker_move, 25),
    (
        "kuhn_poker",
        {"chance": "random", "first": "first", "second": "second"},
        kuhn_poker_move,
        25,
    ),
]


@pytest.mark.parametrize(("base", "roles", "move", "unit"), POKERS)
def test_a_poker_is_the_same_game_in_both_languages(
    base: str, roles: dict[str, str], move: Translation, unit: int
) -> None:
    twins = Twins(base, roles, move, unit)
    assert bundled_games()[f"{base}_pogddl"].facts["same_as"].value == base
    stack = [twins.start()]
    while stack:
        own, other, known, twin = stack.pop()
        stack += [
            (left.state, right.state, extend(known, left), extend(twin, right))
            for left, right in twins.children(own, other, known, twin)
        ]


@pytest.mark.parametrize("base", ["tic_tac_toe", "latent_tic_tac_toe"])
def test_marking_cells_is_the_same_game_in_both_languages(base: str) -> None:
    twins = Twins(base, {"x": "x", "o": "o"}, marking_move, 50)
    assert bundled_games()[f"{base}_pogddl"].facts["same_as"].value == base
    rng = random.Random(5)
    for _ in range(60):
        own, other, known, twin = twins.start()
        while children := twins.children(own, other, known, twin):
            left, right = rng.choice(children)
            known, twin = extend(known, left), extend(twin, right)
            own, other = left.state, right.state


def test_the_information_sets_of_figure_3_2() -> None:
    """Richards (2012), figure 3.2: the action sequences that each observation sequence allows."""
    game = planned("simple_poker_pogddl")
    found: dict[tuple[str, tuple[str, ...]], set[tuple[str, ...]]] = defaultdict(set)

    def walk(state: State, actions: tuple[str, ...], seen: dict[str, tuple[str, ...]]) -> None:
        position = game.position(state)
        if position.terminal:
            return
        (mover,) = (r for r, moves in enumerate(position.moves) if moves != ("noop",))
        role = game.roles[mover]
        if role != "chance":
            found[role, seen[role]].add(actions)
        for child in position.children:
            told = {name: seen[name] + child.percepts[r] for r, name in enumerate(game.roles)}
            walk(child.state, (*actions, child.joint[mover]), told)

    walk(game.machine.initial(), (), dict.fromkeys(game.roles, ()))
    strong, weak = "(deal-stronger max)", "(deal-stronger min)"
    assert found == {
        ("max", ("(stronger max)",)): {(strong,)},
        ("max", ("(stronger min)",)): {(weak,)},
        ("min", ("(stronger unknown)", "(maxplayed pass)")): {
            (strong, "(max-choice pass)"),
            (weak, "(max-choice pass)"),
        },
        ("min", ("(stronger unknown)", "(maxplayed bet)")): {
            (strong, "(max-choice bet)"),
            (weak, "(max-choice bet)"),
        },
    }


@pytest.mark.parametrize("name", ["simple_poker_pogddl", "kuhn_poker_pogddl"])
def test_tree_and_information_sets_are_as_many_as_published(name: str) -> None:
    facts = bundled_games()[name].facts
    count = count_tree(planned(name))
    nodes = {"chance": count.chance, "decision": count.decision, "terminal": count.terminal}
    assert nodes == facts["tree_nodes"].value
    assert count.infosets == facts["infosets"].value


def test_bluffing_and_calling_as_published_earns_a_third_of_a_dollar() -> None:
    facts = bundled_games()["simple_poker"].facts
    bluff, call = Fraction(*facts["bluff"].value), Fraction(*facts["call"].value)

    def policy(role: str, knowledge: Knowledge, moves: tuple[str, ...]) -> dict[str, Fraction]:
        if len(moves) == 1:
            return {moves[0]: Fraction(1)}
        told = [percept for _, percepts in knowledge for percept in percepts]
        if role == "max":
            bet = bluff if "(stronger min)" in told else Fraction(1)
        else:
            bet = call if "(maxplayed bet)" in told else Fraction(1)
        return {f"({role}-choice bet)": bet, f"({role}-choice pass)": 1 - bet}

    value = mean_goals(planned("simple_poker_pogddl"), policy)[0]
    assert value == Fraction(
        *bundled_games()["simple_poker_pogddl"].facts["value_first_player"].value
    )


def test_kuhn_poker_at_equilibrium_is_worth_what_kuhn_found() -> None:
    """Kuhn (1950): one of the equilibria, in which the first player never opens with a bet."""
    # The probability of a bet by card: of the first when it replies, of the second after a pass,
    # and of the second after a bet.
    reply = {"jack": Fraction(0), "queen": Fraction(1, 3), "king": Fraction(1)}
    opened = {"jack": Fraction(1, 3), "queen": Fraction(0), "king": Fraction(1)}
    called = {"jack": Fraction(0), "queen": Fraction(1, 3), "king": Fraction(1)}

    def policy(role: str, knowledge: Knowledge, moves: tuple[str, ...]) -> dict[str, Fraction]:
        if len(moves) == 1:
            return {moves[0]: Fraction(1)}
        told = [percept for _, percepts in knowledge for percept in percepts]
        (card,) = (c for c in reply if f"(dealt {role} {c})" in told)
        if role == "first":
            bet = reply[card] if "(bets second)" in told else Fraction(0)
        else:
            bet = called[card] if "(bets first)" in told else opened[card]
        return {f"(bet {role})": bet, f"(pass {role})": 1 - bet}

    value = mean_goals(planned("kuhn_poker_pogddl"), policy)[1]
    expected = bundled_games()["kuhn_poker_pogddl"].facts["value_first_player"].value
    assert value == Fraction(*expected)


def test_tic_tac_toe_has_the_published_counts() -> None:
    game = planned("tic_tac_toe_pogddl")
    facts = bundled_games()["tic_tac_toe_pogddl"].facts
    paths = {game.machine.key(game.machine.initial()): (game.machine.initial(), 1)}
    states, perft = 0, []
    while paths:
        states += len(paths)
        after: dict[bytes, tuple[State, int]] = {}
        for state, count in paths.values():
            for child in game.position(state).children:
                key = game.machine.key(child.state)
                after[key] = (child.state, count + (after[key][1] if key in after else 0))
        paths = after
        perft.append(sum(count for _, count in paths.values()))
    assert perft[: len(facts["perft"].value)] == facts["perft"].value
    assert states == facts["distinct_states"].value


class TestSlipperyRobot:
    """What weights and the floor do."""

    def test_the_floor_decides_how_often_the_wheels_slip(self) -> None:
        game = begin("slippery_robot", "(drive two)")
        assert self.chances(game.explorer, game.state) == {"none": 0.9, "low": 0.05, "high": 0.05}
        play(game, "(roll none)")
        assert game.seen["robot"] == ("wet",)
        play(game, "(drive one)")
        assert self.chances(game.explorer, game.state) == {"none": 0.5, "low": 0.3, "high": 0.2}

    def test_the_wall_stops_the_robot_and_is_felt(self) -> None:
        game = begin("slippery_robot")
        for _ in range(2):
            play(game, "(drive two)", "(roll high)")
        assert game.seen["robot"] == ()
        assert numbers(game)["position"] == "6"
        game = play(game, "(drive two)", "(roll high)")
        assert game.seen["robot"] == ("bump",)
        assert numbers(game)["position"] == "8"
        play(game, "park")
        assert game.over
        assert game.goal("robot") == -3

    def test_parking_at_the_dock_is_told_and_earns_ten_less_the_drives(self) -> None:
        game = begin("slippery_robot")
        for _ in range(2):
            play(game, "(drive two)", "(roll high)")
        play(game, "park")
        assert game.seen["robot"] == ("docked",)
        assert game.goal("robot") == 8

    def test_after_five_drives_the_robot_must_park(self) -> None:
        game = begin("slippery_robot", *["(drive one)", "(roll low)"] * 5)
        assert game.moves("robot") == ["park"]
        assert on_turn(game) == "robot"

    def test_three_double_drives_earn_what_arithmetic_says(self) -> None:
        game = planned("slippery_robot")
        chances = {0: 1.0}
        for _ in range(3):
            after: dict[int, float] = defaultdict(float)
            for place, chance in chances.items():
                slips = (0.3, 0.5, 0.2) if 2 <= place <= 4 else (0.05, 0.9, 0.05)
                for length, share in zip((1, 2, 3), slips, strict=True):
                    after[min(place + length, 8)] += chance * share
            chances = after

        def value(state: State, drives: int) -> float:
            if game.machine.terminal(state):
                return game.machine.goals(state)[1]
            position = game.position(state)
            if position.moves[0] == ("noop",):
                wanted = "(drive two)" if drives < 3 else "park"
                (child,) = (c for c in position.children if c.joint[1] == wanted)
                return value(child.state, drives + 1)
            weights = game.machine.chance_weights(state)
            pairs = zip(weights, position.children, strict=True)
            return sum(float(w) * value(child.state, drives) for w, child in pairs)

        assert value(game.machine.initial(), 0) == pytest.approx(10 * chances[6] - 3)

    def chances(self, game: Explorer, state: State) -> dict[str, float]:
        legal = game.machine.legal(state, RoleId(0))
        names = [game.move(RoleId(0), move).strip("()").split()[1] for move in legal]
        return dict(zip(names, game.machine.chance_weights(state).tolist(), strict=True))


@pytest.mark.parametrize("name", GAMES)
def test_the_entry_is_complete_and_the_text_readable(name: str) -> None:
    entry = bundled_games()[name]
    assert entry.description.endswith(".")
    assert entry.tags
    assert entry.unit is not None
    assert all(fact.source for fact in entry.facts.values())
    lines = game_source(name).text.splitlines()
    assert lines[0].startswith(";")
    assert max(map(len, lines)) <= 100
    assert not any("\t" in line or line != line.rstrip() for line in lines)


@pytest.mark.parametrize("name", GAMES)
def test_random_play_ends_and_what_one_gains_the_other_loses(name: str) -> None:
    machine = planned(name).machine
    result = machine.playouts(machine.initial()[None, :], seed=7, count=10)
    assert (result.stuck, result.cut) == (0, 0)
    if "single-player" not in bundled_games()[name].tags:
        assert result.goal_sums.sum() == 0
    most = bundled_games()[name].facts.get("steps_at_most")
    assert most is None or result.mean_length <= most.value


@pytest.mark.parametrize("name", GAMES)
def test_roles_know_their_moves_the_end_and_their_result(name: str) -> None:
    walks = 2 if np.prod(bundled_games()[name].parameters) >= 50 else 20
    check_knowledge_by_resampling(planned(name), walks=walks, seed=11)
