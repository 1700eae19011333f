"""Helpers of tests of games in POGDDL: machines from a text, and results as readable terms."""

from __future__ import annotations

from fogspiel.core.findings import errors_in
from fogspiel.core.source import Source
from fogspiel.core.terms import GroundTerm, MoveId, RoleId, format_term
from fogspiel.machine.interpreter.machine import InterpretedMachine
from fogspiel.machine.protocol import Machine, State
from fogspiel.rules.pogddl.check.checks import read_and_check

# The game of figure 3.2 of Richards (2012): chance decides who is stronger and tells max, then max
# and min each bet or pass.
POKER = """\
(define (domain simple-poker)
  (:requirements :typing :fluents :pogddl)
  (:types role choice hand)
  (:constants max min chance - role bet pass - choice unknown - hand)
  (:predicates (whoseturn ?r - role) (gambler ?r - role) (opponent ?r ?o - role)
               (strong ?r - role) (decided ?r - role ?c - choice) (raises ?c - choice))
  (:functions (pot))
  (:action deal
    :parameters (?p - role)
    :precondition (and (whoseturn chance) (gambler ?p))
    :effect (and (not (whoseturn chance)) (whoseturn max) (strong ?p)
                 (observe (max (stronger ?p)) (min (stronger unknown)))))
  (:action first
    :parameters (?c - choice)
    :precondition (whoseturn max)
    :effect (and (not (whoseturn max)) (whoseturn min) (decided max ?c)
                 (observe (all (max-played ?c)))))
  (:action second
    :parameters (?c - choice)
    :precondition (whoseturn min)
    :effect (and (not (whoseturn min)) (decided min ?c)
                 (when (and (raises ?c) (decided max bet)) (assign (pot) 2))
                 (observe (all (min-played ?c)))))
  (:gain ?p (pot)
    (or (and (strong ?p)
             (or (decided ?p bet)
                 (exists (?o - role) (and (opponent ?p ?o) (decided ?o pass)))))
        (and (decided ?p bet)
             (exists (?o - role) (and (opponent ?p ?o) (decided ?o pass)))))))
(define (problem one-hand)
  (:domain simple-poker)
  (:init (whoseturn chance) (gambler max) (gambler min) (opponent max min) (opponent min max)
         (raises bet) (= (pot) 1)))
"""


def interpreted_of(text: str, **options: float) -> InterpretedMachine:
    """The machine of a text that reads without an error."""
    description, findings = read_and_check([Source("game.pogddl", text)])
    errors = list(map(str, errors_in(findings)))
    assert not errors
    return InterpretedMachine(description, **options)


def game(
    *,
    effect: str = "(done)",
    precondition: str = "(whoseturn ann)",
    parameters: str = "",
    declarations: str = "",
    init: str = "",
    sections: str = "(:gain ann 1 ())",
    functions: str = "(f) (g) (h ?r - role)",
) -> InterpretedMachine:
    """A game of ann, ben and chance with one action, `act`."""
    return interpreted_of(f"""
    (define (domain forms)
      (:types role spot)
      (:constants ann ben chance - role a b c d e - spot)
      (:predicates (whoseturn ?r - role) (done) (at ?s - spot) (next ?s ?t - spot) {declarations})
      (:functions {functions})
      (:action act :parameters ({parameters}) :precondition {precondition} :effect {effect})
      {sections})
    (define (problem p) (:domain forms) (:init (whoseturn ann) {init}))
    """)


def choosing(select: str, *, init: str = "") -> InterpretedMachine:
    """A game in which chance takes the turn from ann, and then goes to a spot."""
    return game(
        effect="(and (not (whoseturn ann)) (whoseturn chance))",
        sections=f"""
        (:action go :parameters (?s - spot) :precondition (and (whoseturn chance) (at ?s))
          :effect (done))
        {select} (:gain ann 1 ())""",
        init=f"(at a) (at b) (at c) {init}",
    )


def legal_texts(machine: Machine, state: State, role: str) -> list[str]:
    """The legal moves of a role as text, sorted."""
    number = RoleId(machine.roles.index(role))
    return sorted(format_term(machine.move_term(number, m)) for m in machine.legal(state, number))


def joint_of(machine: Machine, state: State, move: GroundTerm) -> list[MoveId]:
    """The joint move in which the role to move makes this move and all others their only one."""
    joint = []
    for index in range(len(machine.roles)):
        role = RoleId(index)
        legal = machine.legal(state, role)
        terms = [machine.move_term(role, number) for number in legal]
        joint.append(legal[terms.index(move)] if move in terms else legal[0])
    return joint


def after(machine: Machine, *moves: GroundTerm) -> State:
    """The state after some moves of whoever is to move."""
    state = machine.initial()
    for move in moves:
        state = machine.step(state, joint_of(machine, state, move))
    return state


def told(machine: Machine, state: State, move: GroundTerm) -> dict[str, set[str]]:
    """Percepts of each role after a move."""
    joint = joint_of(machine, state, move)
    return {
        name: {
            format_term(machine.percept_term(RoleId(role), percept))
            for percept in machine.percepts(state, joint, RoleId(role))
        }
        for role, name in enumerate(machine.roles)
    }


def fluents(machine: Machine, state: State) -> set[str]:
    """Fluents of a state, as text."""
    return {format_term(term) for term in machine.fluent_terms(state)}
