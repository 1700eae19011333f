"""Small random games of the model, and a second way to value them that shares no code."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from itertools import product

from hypothesis import strategies as st

from fogspiel.core.terms import GroundTerm, format_term
from fogspiel.plan.strips.beliefs import (
    IndependentChoices,
    InformationSet,
    PrimitiveOperator,
    State,
    StripsGame,
)
from fogspiel.plan.strips.problem import StripsProblem
from fogspiel.plan.task_network import Method, MethodLiteral, TaskNetwork

HIDDEN = ("k", "q", "j")
MARKS = ("1", "2")


@dataclass(frozen=True)
class Move:
    """A move that can be made at one point of a game, under conditions that it may have."""

    name: str
    ply: int
    hidden: GroundTerm | None
    """An atom about what is hidden that must hold; moves of ours have none."""
    needs: GroundTerm | None
    """A mark that must be there."""
    adds: GroundTerm | None
    deletes: GroundTerm | None


@dataclass(frozen=True)
class RandomGame:
    """Plies in a fixed order of agents, with some moves for each."""

    agents: tuple[str, ...]
    moves: tuple[Move, ...]
    salt: int

    def worth(self, state: State) -> float:
        """A value that depends on everything in a state, and on nothing else."""
        text = " ".join(sorted(map(format_term, state)))
        return zlib.crc32(f"{self.salt} {text}".encode()) % 9 / 8

    def objective(self, state: State) -> float | None:
        return self.worth(state) if ("ply", str(len(self.agents))) in state else None

    def conditions(self, move: Move) -> tuple[MethodLiteral, ...]:
        atoms = [("agent", "?a"), ("turn", "?a"), ("ply", str(move.ply)), move.hidden, move.needs]
        return tuple(MethodLiteral(atom) for atom in atoms if atom is not None)

    def problem(self) -> StripsProblem:
        """A problem with two places for each hidden thing, all ways equally probable."""
        first: set[GroundTerm] = {("ply", "0"), ("turn", self.agents[0]), ("control", "we")}
        return StripsProblem(
            game=StripsGame(operators=tuple(map(self._operator, self.moves))),
            information=InformationSet(
                true=frozenset(first | {("agent", "we"), ("agent", "they")})
            ),
            belief=IndependentChoices(
                groups=tuple((("at", x, "here"), ("at", x, "there")) for x in HIDDEN)
            ),
            objective=self.objective,
            evaluation=self.worth,
        )

    def _operator(self, move: Move) -> PrimitiveOperator:
        after = (*self.agents, self.agents[-1])[move.ply + 1]
        passed: tuple[GroundTerm, ...] = () if after == self.agents[move.ply] else (("turn", "?a"),)
        return PrimitiveOperator(
            name=move.name,
            parameters=("?a",),
            when=self.conditions(move),
            add=(("ply", str(move.ply + 1)), ("turn", after), *_given(move.adds)),
            delete=(("ply", str(move.ply)), *passed, *_given(move.deletes)),
        )

    def network(self) -> TaskNetwork:
        """A method for each move, and nothing else."""
        return TaskNetwork(
            name="moves",
            methods=tuple(
                Method(
                    name=move.name,
                    task=None,
                    when=self.conditions(move),
                    operator=(move.name, "?a"),
                )
                for move in self.moves
            ),
        )

    def layered(self) -> TaskNetwork:
        """The same with a task between: each move is a scheme that splits into itself."""
        methods: list[Method] = []
        for move in self.moves:
            when, task = self.conditions(move), (f"do-{move.name}", "?a")
            methods += [
                Method(name=f"want-{move.name}", task=None, when=when, expansion=(task,)),
                Method(name=move.name, task=task, when=when, operator=(move.name, "?a")),
            ]
        return TaskNetwork(name="layers", methods=tuple(methods))


def brute_force(game: RandomGame) -> float:
    """The value of a game by recursion over lists of states, after section 4.2 of the paper."""
    start: set[GroundTerm] = {("ply", "0"), ("turn", game.agents[0]), ("control", "we")}
    start |= {("agent", "we"), ("agent", "they")}
    states = [
        frozenset(start | {("at", x, place) for x, place in zip(HIDDEN, places, strict=True)})
        for places in product(("here", "there"), repeat=len(HIDDEN))
    ]
    return _value(game, dict(enumerate(states)))


def _value(game: RandomGame, states: dict[int, State]) -> float:
    """States are numbered, so that a world can be followed; all weigh the same."""
    ply = next(int(str(atom[1])) for atom in min(states.items())[1] if atom[0] == "ply")
    static = {world: game.worth(state) for world, state in states.items()}
    children: list[tuple[float, set[int]]] = []
    for move in game.moves if ply < len(game.agents) else ():
        able = {world for world, state in states.items() if _can(move, ply, state)}
        if able:
            after = {world: _after(game, move, states[world]) for world in able}
            children.append((_value(game, after), able))
    if not children:
        return sum(static.values()) / len(static)
    if game.agents[ply] == "we":
        return max(value for value, _ in children)
    total = 0.0
    for world in states:
        total += min((v for v, able in children if world in able), default=static[world])
    return total / len(states)


def _can(move: Move, ply: int, state: State) -> bool:
    return move.ply == ply and all(atom in state for atom in _given(move.hidden, move.needs))


def _after(game: RandomGame, move: Move, state: State) -> State:
    after = (*game.agents, game.agents[-1])[move.ply + 1]
    changed = state - {("ply", str(move.ply)), ("turn", game.agents[move.ply])}
    changed |= {("ply", str(move.ply + 1)), ("turn", after), *_given(move.adds)}
    return changed - set(_given(move.deletes))


def _given(*atoms: GroundTerm | None) -> tuple[GroundTerm, ...]:
    return tuple(atom for atom in atoms if atom is not None)


@st.composite
def random_games(draw: st.DrawFn) -> RandomGame:
    """Games of two to four plies, with up to three moves at each."""
    agents = tuple(draw(st.lists(st.sampled_from(("we", "they")), min_size=2, max_size=4)))
    places = st.tuples(st.just("at"), st.sampled_from(HIDDEN), st.sampled_from(("here", "there")))
    marks = st.tuples(st.just("mark"), st.sampled_from(MARKS))
    moves: list[Move] = []
    for ply, agent in enumerate(agents):
        for number in range(draw(st.integers(1, 3))):
            hidden = draw(st.none() | places) if agent == "they" else None
            needs = draw(st.none() | marks) if ply else None
            deletes = draw(st.none() | marks | places)
            name = f"m{ply}{number}"
            moves.append(Move(name, ply, hidden, needs, draw(st.none() | marks), deletes))
    return RandomGame(agents, tuple(moves), draw(st.integers(0, 999)))
