"""Chess against published counts of positions that exercise its rarer rules."""

from __future__ import annotations

import pytest
from chess_positions import long_algebraic, position
from game_play import machine_of, moves_on_turn, perft, play_on_turn

WIKI = "Chess Programming Wiki, Perft Results"


@pytest.mark.parametrize(
    ("fen", "expected", "source"),
    [
        (
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            [48, 2039, 97862, 4085603],
            f"{WIKI}, position 2 (Kiwipete)",
        ),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", [14, 191, 2812, 43238], f"{WIKI}, 3"),
        (
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            [6, 264, 9467],
            f"{WIKI}, 4",
        ),
        (
            "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1",
            [6, 264, 9467],
            f"{WIKI}, 4 with colours exchanged",
        ),
        (
            "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
            [44, 1486, 62379],
            f"{WIKI}, 5",
        ),
        (
            "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
            [46, 2079, 89890],
            f"{WIKI}, 6",
        ),
        (
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            [24, 496, 9483],
            "Albert Bertilsson, Sharper, perft calculation: promotions on both sides",
        ),
        (
            "4k3/3p1p2/8/4P3/4K3/8/8/8 b - - 0 1",
            [7, 58, 426],
            "R. Tomasi (2021), talkchess.com: en passant as the answer to a check",
        ),
    ],
    ids=lambda value: value.split()[0] if isinstance(value, str) and "/" in value else "",
)
def test_perft_of_published_positions(fen: str, expected: list[int], source: str) -> None:
    machine = machine_of("chess")
    assert perft(machine, len(expected), position(machine, fen)) == expected, source


@pytest.mark.parametrize(
    ("fen", "move", "legal"),
    [
        ("8/8/8/K1pP3r/8/8/8/7k w - c6 0 1", "d5c6", False),  # both pawns leave the rank
        ("8/8/8/2pP3r/8/8/K7/7k w - c6 0 1", "d5c6", True),
        ("4k3/8/8/8/8/5r2/8/4K2R w K - 0 1", "e1g1", False),  # passes over f1, attacked
        ("4k3/8/8/8/8/7r/8/4K2R w K - 0 1", "e1g1", True),  # the rook may be attacked
        ("4k3/8/8/8/8/1r6/8/R3K3 w Q - 0 1", "e1c1", True),  # b1 may be attacked
        ("4k3/8/8/8/8/4r3/8/R3K3 w Q - 0 1", "e1c1", False),  # not out of check
        ("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", "e1e2", True),  # takes an unguarded checker
        ("4k3/8/8/8/8/4r3/4r3/4K3 w - - 0 1", "e1e2", False),  # a guarded one not
    ],
)
def test_single_moves(fen: str, move: str, legal: bool) -> None:
    machine = machine_of("chess")
    state = position(machine, fen)
    role, moves = moves_on_turn(machine, state)
    names = {long_algebraic(machine, state, machine.roles[role], term) for term in moves}
    assert (move in names) == legal


@pytest.mark.parametrize(
    ("fen", "goals"),
    [
        ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", (0, 100)),  # fool's mate
        ("R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1", (100, 0)),  # mate on the back rank
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", (50, 50)),  # stalemate
    ],
)
def test_ends(fen: str, goals: tuple[int, int]) -> None:
    machine = machine_of("chess")
    state = position(machine, fen)
    assert machine.terminal(state)
    assert machine.goals(state) == goals


def test_the_clock_draws_a_game_after_256_moves() -> None:
    machine = machine_of("chess")
    start = position(machine, "4k3/8/8/8/8/8/8/4K3 w - - 0 1")
    clock = machine.state_of([("clock", str(digit)) for digit in range(8)])
    last = start | clock
    assert not machine.terminal(last)
    _, moves = moves_on_turn(machine, last)
    after = play_on_turn(machine, last, next(iter(moves)))
    assert machine.terminal(after)
    assert machine.goals(after) == (50, 50)
