"""Small games in POGDDL, written for the tests: one of cards, one of a board, one of chance."""

from __future__ import annotations

from fogspiel.core.findings import Finding
from fogspiel.core.limits import ReadLimits
from fogspiel.core.source import Source
from fogspiel.rules.pogddl.check.checks import read_and_check

# Each of two players antes a chip and gets one of three cards. Ann bets or folds, and so does Ben.
CARDS_DOMAIN = """\
; A bluffing game for two.
(define (domain three-cards)
  (:requirements :typing :fluents :conditional-effects :derived-predicates :pogddl)
  (:types player - role role card act)
  (:constants ann ben - player chance - role bet fold - act)
  (:predicates
    (whoseturn ?r - role) (holds ?r - player ?c - card) (indeck ?c - card)
    (higher ?a ?b - card) (beats ?a ?b - card) (folded ?r - player) (served ?r - player)
    (after ?r ?n - role) (showdown))
  (:functions (pot) - number (chips ?r - player))

  (:derived (beats ?a ?b - card)
    (or (higher ?a ?b)
        (exists (?c - card) (and (higher ?a ?c) (beats ?c ?b)))))

  (:action deal
    :parameters (?r - player ?n - role ?c - card)
    :precondition (and (whoseturn chance) (indeck ?c) (not (served ?r)) (after ?r ?n)
                       (imply (= ?r ben) (served ann)))
    :effect (and (not (indeck ?c)) (holds ?r ?c) (served ?r)
                 (when (= ?r ben) (and (not (whoseturn chance)) (whoseturn ann)))
                 (observe (?r (dealt ?r ?c)) (others (dealt ?r _)))))

  (:action say
    :parameters (?r - player ?n - role ?a - act)
    :precondition (and (whoseturn ?r) (after ?r ?n))
    :effect (and (not (whoseturn ?r))
                 (when (= ?a bet) (and (increase (pot) 1) (decrease (chips ?r) 1)
                                       (whoseturn ?n)))
                 (when (= ?a fold) (folded ?r))
                 (when (and (= ?r ben) (= ?a bet)) (showdown))
                 (observe (all (said ?r ?a)))))

  (:terminal (or (showdown) (exists (?r - player) (folded ?r))))
  (:gain ?r - player (- (chips ?r) 10) ())
  (:gain ?r - player (pot)
    (or (exists (?o - player) (folded ?o))
        (forall (?o - player ?a ?b - card)
          (imply (and (holds ?r ?a) (holds ?o ?b) (not (= ?r ?o))) (beats ?a ?b))))))
"""
CARDS_PROBLEM = """\
(define (problem jack-queen-king)
  (:domain three-cards)
  (:objects jack queen king - card)
  (:init (whoseturn chance) (indeck jack) (indeck queen) (indeck king)
         (higher king queen) (higher queen jack) (after ann ben) (after ben chance)
         (= (pot) 2) (= (chips ann) 9) (= (chips ben) 9)))
"""
CARDS = CARDS_DOMAIN + "\n" + CARDS_PROBLEM

NOUGHTS = """\
(DEFINE (DOMAIN noughts)
  (:Types role line)
  (:constants x o - role one two three - line)
  (:predicates (whoseturn ?r - role) (opponent ?r ?s - role) (mark ?r - role ?a ?b - line)
               (free ?a ?b - line) (row ?r - role) (diagonal ?r - role))
  (:derived (row ?r) (EXISTS (?a - line) (or (forall (?b - line) (mark ?r ?a ?b))
                                             (forall (?b - line) (mark ?r ?b ?a)))))
  (:derived (diagonal ?r)
    (or (forall (?a - line) (mark ?r ?a ?a))
        (and (mark ?r one three) (mark ?r two two) (mark ?r three one))))
  (:action place
    :parameters (?r ?s - role ?a ?b - line)
    :precondition (AND (whoseturn ?r) (opponent ?r ?s) (free ?a ?b))
    :effect (and (NOT (whoseturn ?r)) (whoseturn ?s) (not (free ?a ?b)) (mark ?r ?a ?b)
                 (Observe (all (placed ?r ?a ?b)))))
  (:terminal (exists (?r - role) (or (row ?r) (diagonal ?r))))
  (:gain x 1 (or (row x) (diagonal x)))
  (:gain o 1 (or (row o) (diagonal o))))

(define (problem empty)
  (:domain noughts)
  (:init (whoseturn x) (opponent x o) (opponent o x)
         (free one one) (free one two) (free one three)
         (free two one) (free two two) (free two three)
         (free three one) (free three two) (free three three)))
"""

# A cart rolls along cells; on wet ones it slips more often. All numeric forms occur.
CART = """\
(define (domain cart)
  (:requirements :adl :numeric-fluents)
  (:types role wet-cell dry-cell)
  (:constants driver chance - role)
  (:predicates (whoseturn ?r - role) (at ?p - (either wet-cell dry-cell)) (wet ?p - wet-cell)
               (next ?p ?q - (either wet-cell dry-cell)))
  (:functions (fuel) (bonus ?r - role))
  (:action push
    :parameters ()
    :precondition (and (whoseturn driver) (> (fuel) (/ 1 2)) (>= (fuel) 0) (<= fuel (* 2 3 5)))
    :effect (and (not (whoseturn driver)) (whoseturn chance) (decrease fuel 1)
                 (assign (bonus driver) (+ (bonus driver) (- 3)))
                 (scale-up (bonus chance) 2) (scale-down (bonus chance) .5)
                 (forall (?r - role) (increase (bonus ?r) (- (fuel) (fuel))))
                 (observe (driver (pushed)))))
  (:action roll
    :parameters (?p ?q - (either wet-cell dry-cell))
    :precondition (and (whoseturn chance) (at ?p) (next ?p ?q))
    :effect (and (not (at ?p)) (at ?q) (not (whoseturn chance)) (whoseturn driver)
                 (observe (driver (reached ?q)) (others (reached _)))))
  (:action slip
    :parameters (?p - wet-cell)
    :precondition (and (whoseturn chance) (at ?p) (wet ?p))
    :effect (and (not (whoseturn chance)) (whoseturn driver)
                 (observe (all (slipped)))))
  (:choose
    :parameters (?p - wet-cell ?q - dry-cell)
    :condition (and (at ?p) (wet ?p) (next ?p ?q))
    :select (1/3 (slip ?p) 2/3 (roll (?p ?q))))
  (:terminal (= (fuel) 0))
  (:gain (?r - role) (bonus ?r) (and)))
(define (problem two-cells)
  (:domain cart)
  (:objects a c - wet-cell b - dry-cell)
  (:init (whoseturn driver) (at a) (wet a) (next a b) (next b c)
         (= (fuel) 3) (= (bonus driver) 10) (= (bonus chance) 0))
  (:gain driver 5 (at c)))
"""
GAMES = {"cards": CARDS, "noughts": NOUGHTS, "cart": CART}


def findings_of(text: str, *more: str, limits: ReadLimits | None = None) -> list[Finding]:
    """The findings about some texts, which are called `game.pogddl`, `game-2.pogddl`, …"""
    names = ["game.pogddl", *(f"game-{number}.pogddl" for number in range(2, len(more) + 2))]
    sources = [Source(name, own) for name, own in zip(names, (text, *more), strict=True)]
    return read_and_check(sources, limits or ReadLimits())[1]


def places(findings: list[Finding]) -> list[tuple[str, int, int]]:
    """Code, line and column of each finding."""
    return [
        (finding.code, *finding.source.position(finding.span.start))
        for finding in findings
        if finding.source is not None and finding.span is not None
    ]
