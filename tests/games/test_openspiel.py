"""Our board games move by move beside OpenSpiel's: same legal moves, same ends, same results."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest
from chess_positions import long_algebraic
from game_play import machine_of, moves_on_turn, play_on_turn

from fogspiel.core.terms import GroundTerm
from fogspiel.machine.protocol import Machine, State

pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed")


@dataclass(frozen=True)
class Pair:
    """A game of ours, OpenSpiel's counterpart, and how both call the same move."""

    ours: str
    theirs: str
    our_name: Callable[[Machine, State, str, GroundTerm], object]
    their_name: Callable[[Any, int], object]
    walks: int
    first: int = 0
    """OpenSpiel's number for the player who begins."""
    draws_earlier: bool = False
    """OpenSpiel ends some games as drawn that our sheet plays on (repetition, material)."""


def grid_action(width: int) -> Callable[[Machine, State, str, GroundTerm], object]:
    """OpenSpiel numbers cells by row and column from 0; our moves are (verb row column)."""
    return lambda _m, _s, _role, move: (int(str(move[1])) - 1) * width + int(str(move[2])) - 1


def othello_action(_m: Machine, _s: State, _role: str, move: GroundTerm) -> object:
    """Our moves are (place column row) and, where nothing can be placed, `pass`."""
    return 64 if move == "pass" else (int(str(move[2])) - 1) * 8 + int(str(move[1])) - 1


def breakthrough_action(height: int) -> Callable[[Machine, State, str, GroundTerm], object]:
    """OpenSpiel's first player moves down, ours up: the board is turned over."""

    def name(_m: Machine, _s: State, _role: str, move: GroundTerm) -> object:
        numbers = [int(str(part)) for part in move[1:]]
        files = ["abcdefgh"[n - 1] for n in numbers[::2]]
        ranks = [height + 1 - n for n in numbers[1::2]]
        return f"{files[0]}{ranks[0]}{files[1]}{ranks[1]}"

    return name


def checkers_action(machine: Machine, state: State, role: str, move: GroundTerm) -> object:
    """Our moves are (go file rank direction): a jump if a man stands on the next square."""
    _, file, rank, direction = map(str, move)
    taken = {(t[1], t[2]) for t in machine.fluent_terms(state) if t[0] == "colour"}
    across = 1 if direction.endswith("east") else -1
    up = 1 if direction.startswith("north") else -1
    for distance in (1, 2):
        target_file = "abcdefgh"["abcdefgh".index(file) + distance * across]
        target_rank = str(int(rank) + distance * up)
        if (target_file, target_rank) not in taken:
            break
    return f"{file}{rank}{target_file}{target_rank}"


def action_number(_state: Any, action: int) -> object:
    return action


def action_text(state: Any, action: int) -> object:
    return state.action_to_string(action).rstrip("*")


PAIRS = [
    Pair("tic_tac_toe", "tic_tac_toe", grid_action(3), action_number, 60),
    Pair(
        "connect_four",
        "connect_four",
        lambda _m, _s, _role, move: int(str(move[1])) - 1,
        action_number,
        30,
    ),
    Pair("breakthrough_8", "breakthrough", breakthrough_action(8), action_text, 12),
    Pair(
        "breakthrough_6",
        "breakthrough(rows=6,columns=6)",
        breakthrough_action(6),
        action_text,
        20,
    ),
    Pair("othello", "othello", othello_action, action_number, 12),
    Pair("hex_9", "hex(board_size=9)", grid_action(9), action_number, 12),
    Pair("hex(4)", "hex(board_size=4)", grid_action(4), action_number, 60),
    Pair("checkers", "checkers", checkers_action, action_text, 25, draws_earlier=True),
    Pair(
        "chess",
        "chess",
        long_algebraic,
        lambda state, action: pyspiel.chess.action_to_move(action, state.board()).to_lan(),
        8,
        first=1,
        draws_earlier=True,
    ),
]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.ours)
def test_random_walks_agree(pair: Pair) -> None:
    random = Random(5)
    for _ in range(pair.walks):
        walk_beside(pair, random)


def walk_beside(pair: Pair, random: Random) -> None:
    """One random game in both, comparing legal moves at every step and the result at the end."""
    machine = machine_of(pair.ours)
    state = machine.initial()
    other = pyspiel.load_game(pair.theirs).new_initial_state()
    while not other.is_terminal() and not machine.terminal(state):
        role, moves = moves_on_turn(machine, state)
        ours = {pair.our_name(machine, state, machine.roles[role], term): term for term in moves}
        theirs = {pair.their_name(other, action): action for action in other.legal_actions()}
        assert role == other.current_player() ^ pair.first
        assert set(ours) == set(theirs), f"after {other.history()}"
        chosen = random.choice(sorted(ours, key=str))
        state = play_on_turn(machine, state, ours[chosen])
        other.apply_action(theirs[chosen])
    if not machine.terminal(state):
        if pair.draws_earlier and set(other.returns()) == {0.0}:
            return
        state = pass_to_the_end(machine, state)
    if other.is_terminal():
        returns = other.returns()
        assert machine.goals(state) == goals_of(returns[:: -1 if pair.first else 1])


def pass_to_the_end(machine: Machine, state: State) -> State:
    """Othello: where neither can move, OpenSpiel stops at once, our sheet after a pass."""
    while not machine.terminal(state):
        assert set(moves_on_turn(machine, state)[1]) == {"pass"}
        state = play_on_turn(machine, state, "pass")
    return state


def goals_of(returns: Iterable[float]) -> tuple[int, ...]:
    """OpenSpiel's -1, 0, 1 as goals."""
    return tuple(round(50 + 50 * value) for value in returns)
