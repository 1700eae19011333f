"""Chess positions in Forsyth-Edwards notation as states of our chess, and our moves as `e2e4`."""

from __future__ import annotations

from collections.abc import Mapping

from fogspiel.core.terms import GroundTerm
from fogspiel.machine.protocol import Machine, State

POWERS: Mapping[str, tuple[str, ...]] = {
    "p": ("pawn",),
    "n": ("knight",),
    "b": ("diagonal",),
    "r": ("straight",),
    "q": ("straight", "diagonal"),
    "k": ("king",),
}
FILES = "abcdefgh"
LETTERS = {"queen": "q", "rook": "r", "bishop": "b", "knight": "n"}
STEPS = {"north": (0, 1), "south": (0, -1), "east": (1, 0), "west": (-1, 0)}


def position(machine: Machine, fen: str) -> State:
    """The state of a position; its counters of moves are left at zero."""
    board, side, castling, passed, *_ = fen.split()
    fluents: list[GroundTerm] = [("control", "white" if side == "w" else "black")]
    for row, rank in zip(board.split("/"), "87654321", strict=True):
        file = 0
        for letter in row:
            if letter.isdigit():
                file += int(letter)
                continue
            colour = "white" if letter.isupper() else "black"
            fluents.append(("colour", FILES[file], rank, colour))
            fluents += [("power", FILES[file], rank, power) for power in POWERS[letter.lower()]]
            file += 1
    for letter in castling.replace("-", ""):
        colour = "white" if letter.isupper() else "black"
        fluents.append(("castling", colour, "short" if letter.lower() == "k" else "long"))
    if passed != "-":
        fluents.append(("passed", passed[0]))
    return machine.state_of(fluents)


def long_algebraic(machine: Machine, state: State, colour: str, move: GroundTerm) -> str:
    """`e2e4`, `e7e8q`, `e1g1`: the square a man comes from is looked up in the state."""
    rank = "1" if colour == "white" else "8"
    if move[0] == "castle":
        return f"e{rank}{'g' if move[1] == 'short' else 'c'}{rank}"
    if move[0] == "promote":
        _, file, direction, kind = map(str, move)
        target, letter = f"{file}{'8' if colour == 'white' else '1'}", LETTERS[kind]
    else:
        _, file, target_rank, direction = map(str, move)
        target, letter = f"{file}{target_rank}", ""
    taken = {f"{t[1]}{t[2]}" for t in machine.fluent_terms(state) if t[0] == "colour"}
    across, up = _offset(direction)
    square = target
    while square == target or (square not in taken and "_" not in direction):
        square = f"{FILES[FILES.index(square[0]) - across]}{int(square[1]) - up}"
    return f"{square}{target}{letter}"


def _offset(direction: str) -> tuple[int, int]:
    """`northeast` is (1, 1); a knight's `north_northeast` is north and then northeast: (1, 2)."""
    offset = (0, 0)
    rest = direction.replace("_", "")
    while rest:
        name = next(name for name in STEPS if rest.startswith(name))
        offset = (offset[0] + STEPS[name][0], offset[1] + STEPS[name][1])
        rest = rest.removeprefix(name)
    return offset
