"""What the tests of the grammar share: a frame for small games, played by either engine."""

from __future__ import annotations

from fractions import Fraction

import pytest

from fogspiel.core.source import Source
from fogspiel.core.terms import MoveId, RoleId, format_term
from fogspiel.games.load import load_sources
from fogspiel.games.making import EngineChoice

ON_BOTH = pytest.mark.parametrize("engine", ["compiled", "reference"])

# Ann moves once or twice; things a, b and c differ in what holds of them.
FRAME = """\
(define (domain d)
  (:types role thing)
  (:constants ann ben - role a b c - thing)
  (:predicates (whoseturn ?r - role) (p ?x - thing) (q ?x - thing) (r ?x ?y - thing) (again))
  (:functions (n ?x - thing) (total))
  ; sections
)
(define (problem one)
  (:domain d)
  (:init (whoseturn ann) (p a) (p b) (q b) (r a b) (r b c) (= (n a) 1) (= (n b) 2) (= (total) 5)))
"""


class Play:
    """A game that is being played by one engine."""

    def __init__(self, text: str, engine: EngineChoice) -> None:
        self.machine = load_sources([Source("game.pogddl", text)], engine=engine).machine
        self.state = self.machine.initial()
        self._told: dict[str, set[str]] = {}

    def legal(self, role: str = "ann") -> set[str]:
        """The moves of a role; none where the game is over."""
        if self.machine.terminal(self.state):
            return set()
        return {self._text(role, move) for move in self.machine.legal(self.state, self._id(role))}

    def make(self, *moves: str) -> Play:
        """Let whoever is to move make some moves."""
        for move in moves:
            joint = [self._choice(role, move) for role in self.machine.roles]
            for role in self.machine.roles:
                seen = self.machine.percepts(self.state, joint, self._id(role))
                terms = (self.machine.percept_term(self._id(role), percept) for percept in seen)
                self._told[role] = {format_term(term) for term in terms}
            self.state = self.machine.step(self.state, joint)
        return self

    def told(self, role: str) -> set[str]:
        """What a role was told of the last move."""
        return self._told[role]

    def payoff(self, role: str = "ann") -> Fraction:
        """What a role gets."""
        goal = self.machine.goals(self.state)[self._id(role)]
        return Fraction(goal, self.machine.goal_scale)

    def _id(self, role: str) -> RoleId:
        return RoleId(self.machine.roles.index(role))

    def _text(self, role: str, move: MoveId) -> str:
        return format_term(self.machine.move_term(self._id(role), move))

    def _choice(self, role: str, wanted: str) -> MoveId:
        legal = self.machine.legal(self.state, self._id(role))
        by_text = {self._text(role, move): move for move in legal}
        return by_text[wanted] if wanted in by_text else legal[0]


def play(engine: EngineChoice, sections: str, text: str = FRAME) -> Play:
    """The frame with more sections."""
    return Play(text.replace("; sections", sections), engine)


def picked(engine: EngineChoice, condition: str, sections: str = "") -> str:
    """The objects among a, b and c that may be picked at the start, under this precondition."""
    # The effect makes `p` part of the state, so conditions are on what changes and what does not.
    action = (
        f"(:action pick :parameters (?x - thing) :precondition (and (whoseturn ann) {condition})"
        " :effect (and (not (p ?x)) (not (whoseturn ann))))"
    )
    moves = play(engine, f"{sections} {action} (:gain ann 1 ())").legal()
    return "".join(sorted(move.removeprefix("(pick ")[0] for move in moves))


def left(engine: EngineChoice, effect: str) -> str:
    """The objects among a, b and c of which `p` holds after this effect on the thing b."""
    rules = (
        f"(:action act :parameters (?x - thing) :precondition (and (whoseturn ann) (= ?x b)"
        f" (not (again))) :effect (and (again) {effect}))"
        " (:action look :parameters (?x - thing) :precondition (and (whoseturn ann) (again) (p ?x))"
        " :effect (not (whoseturn ann))) (:gain ann 1 ())"
    )
    moves = play(engine, rules).make("(act b)").legal()
    return "".join(sorted(move.removeprefix("(look ")[0] for move in moves))


def paid(
    engine: EngineChoice, value: str, effect: str = "(and)", condition: str = "()"
) -> Fraction:
    """What ann gets for a value after an action with this effect."""
    rules = (
        f"(:action act :parameters () :precondition (whoseturn ann)"
        f" :effect (and (not (whoseturn ann)) {effect})) (:gain ann {value} {condition})"
    )
    return play(engine, rules).make("act").payoff()


def told(engine: EngineChoice, observation: str) -> tuple[set[str], set[str]]:
    """What ann and ben are told by an observation of ann's action on the thing b."""
    rules = (
        "(:action act :parameters (?r - role ?x - thing) :precondition (and (whoseturn ?r) (q ?x))"
        f" :effect (and (not (whoseturn ?r)) {observation})) (:gain ann 1 ())"
    )
    game = play(engine, rules).make("(act ann b)")
    return game.told("ann"), game.told("ben")
