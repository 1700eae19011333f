"""The finesse of Smith and Nau (1993), figures 1 and 2, in their own model of states and operators.

One suit: North holds ace and queen, South the three and the two and leads, and of the nine, the
ten, the jack and the king West and East hold two each. The methods follow figure 1. The tree is
evaluated by each external-agent criterion of section 4.2.
Departures: two tricks are played to the end, where figure 2 shows a piece of one. Nobody can be out
of the suit in the first trick, so their busted finesse does not occur.
"""

from __future__ import annotations

from collections.abc import Sequence

from fogspiel.core.source import Source
from fogspiel.core.terms import GroundTerm
from fogspiel.lab.framework.presentation import columns, markdown
from fogspiel.lab.framework.study import Document, Settings, Study
from fogspiel.plan.language.reading import sound_network
from fogspiel.plan.strips.beliefs import (
    Cardinality,
    IndependentChoices,
    InformationSet,
    PrimitiveOperator,
    State,
    StripsGame,
)
from fogspiel.plan.strips.problem import StripsProblem
from fogspiel.plan.task_network import MethodLiteral, Pattern
from fogspiel.plan.tree.building import Planner
from fogspiel.plan.tree.criteria import criterion
from fogspiel.plan.tree.executing import explanation
from fogspiel.plan.tree.nodes import PlanNode, answers_at, decision_at

METHODS = """
(network finessing)

(method finesse
  (task nil)
  (title Finesse)
  (note lead towards a tenace and hope that the card it lacks lies before it)
  (when (turn ?p) (control ?p) (idle table) (partner ?p ?r) (left ?p ?w) (left ?r ?e)
        (outstanding ?gap) (has ?r ?low) (above ?gap ?low) (has ?r ?top) (above ?top ?gap))
  (expand (lead-low ?p) (second ?w) (third ?r ?low ?gap ?top) (fourth ?e)))
(method cash
  (task nil)
  (title Cash a winner)
  (when (turn ?p) (control ?p) (idle table) (partner ?p ?r) (left ?p ?w) (left ?r ?e)
        (has ?r ?top) (boss ?top))
  (expand (lead-low ?p) (second ?w) (play ?r ?top) (fourth ?e)))
(method run-on
  (task nil)
  (when (turn ?p) (idle table) (took ?someone ?card) (has ?p ?c)
        (left ?p ?q) (left ?q ?r) (left ?r ?s))
  (expand (play ?p ?c) (follow ?q) (follow ?r) (follow ?s)))

(method lead-low
  (task (lead-low ?p))
  (when (has ?p ?c) (low-order ?c ?x ?y) (not (has ?p ?x)) (not (has ?p ?y)))
  (expand (play ?p ?c)))
(method second-low
  (task (second ?p))
  (note second hand plays low)
  (when (has ?p ?c) (low-order ?c ?x ?y) (not (has ?p ?x)) (not (has ?p ?y)))
  (expand (play ?p ?c)))
(method second-high
  (task (second ?p)) (note the king goes up) (when (has ?p k)) (expand (play ?p k)))
(method standard-finesse
  (task (third ?p ?low ?gap ?top)) (when (best ?w ?c) (above ?low ?c)) (expand (play ?p ?low)))
(method easy-finesse
  (task (third ?p ?low ?gap ?top)) (when (best ?w ?gap)) (expand (play ?p ?top)))
(method fourth-wins
  (task (fourth ?p)) (when (best ?b ?d) (has ?p ?c) (above ?c ?d)) (expand (play ?p ?c)))
(method fourth-low
  (task (fourth ?p))
  (when (has ?p ?c) (low-order ?c ?x ?y) (not (has ?p ?x)) (not (has ?p ?y)))
  (expand (play ?p ?c)))
(method follow (task (follow ?p)) (when (has ?p ?c)) (expand (play ?p ?c)))

(method lead
  (task (play ?p ?c))
  (when (turn ?p) (has ?p ?c) (idle table) (passes ?p ?p ?q))
  (do (lead ?p ?c ?q)))
(method over
  (task (play ?p ?c))
  (when (turn ?p) (has ?p ?c) (best ?b ?d) (leader ?l) (passes ?l ?p ?q) (above ?c ?d))
  (do (over ?p ?c ?b ?d ?q ?l)))
(method under
  (task (play ?p ?c))
  (when (turn ?p) (has ?p ?c) (best ?b ?d) (leader ?l) (passes ?l ?p ?q) (above ?d ?c))
  (do (under ?p ?c ?b ?d ?q ?l)))
(method last-over
  (task (play ?p ?c))
  (when (turn ?p) (has ?p ?c) (best ?b ?d) (leader ?l) (closes ?l ?p) (above ?c ?d))
  (do (last-over ?p ?c ?b ?d ?l)))
(method last-under
  (task (play ?p ?c))
  (when (turn ?p) (has ?p ?c) (best ?b ?d) (leader ?l) (closes ?l ?p) (above ?d ?c))
  (do (last-under ?p ?c ?b ?d ?l)))
"""
NETWORK = sound_network(Source("finesse.methods", METHODS))

RANKS, HIDDEN = "239tjqka", "9tjk"
SEATS = ("north", "east", "south", "west")
LOW_ORDER = (("2", "-", "-"), ("3", "2", "-"), ("9", "-", "-"), ("t", "9", "-"), ("j", "9", "t"))
"""A small card, and those that are played before it."""
PUBLISHED_LARGEST = 1_301
"""Nodes of the largest tree that Tignum built, for whole deals (section 5)."""

HAS, TURN, BEST = ("has", "?p", "?c"), ("turn", "?p"), ("best", "?b", "?d")
OVER, UNDER = ("above", "?c", "?d"), ("above", "?d", "?c")
IDLE, LEADER = ("idle", "table"), ("leader", "?l")
NEXT, MY_BEST = ("turn", "?q"), ("best", "?p", "?c")
FOLLOW, LAST = ("?p", "?c", "?b", "?d", "?q", "?l"), ("?p", "?c", "?b", "?d", "?l")
PASSED = (HAS, BEST, LEADER, ("passes", "?l", "?p", "?q"))
CLOSED = (HAS, BEST, LEADER, ("closes", "?l", "?p"))


def _operator(
    name: str,
    parameters: tuple[str, ...],
    when: tuple[Pattern, ...],
    add: tuple[Pattern, ...],
    delete: tuple[Pattern, ...],
) -> PrimitiveOperator:
    """A card that is played: it leaves the hand, and is outstanding no more."""
    return PrimitiveOperator(
        name=name,
        parameters=parameters,
        when=tuple(map(MethodLiteral, when)),
        add=add,
        delete=(HAS, ("outstanding", "?c"), *delete),
    )


OPERATORS = (
    _operator(
        "lead",
        ("?p", "?c", "?q"),
        (HAS, IDLE, ("passes", "?p", "?p", "?q")),
        (MY_BEST, ("leader", "?p"), NEXT),
        (TURN, IDLE),
    ),
    _operator("over", FOLLOW, (*PASSED, OVER), (MY_BEST, NEXT), (TURN, BEST)),
    _operator("under", FOLLOW, (*PASSED, UNDER), (NEXT,), (TURN,)),
    _operator("last-over", LAST, (*CLOSED, OVER), (("took", "?p", "?c"), IDLE), (BEST, LEADER)),
    _operator(
        "last-under",
        LAST,
        (*CLOSED, UNDER),
        (("took", "?b", "?d"), ("turn", "?b"), IDLE),
        (TURN, BEST, LEADER),
    ),
)


def finesse_problem() -> StripsProblem:
    """South leads; each of the four hidden cards is West's or East's, two each."""
    known: set[GroundTerm] = {("has", "north", "a"), ("has", "north", "q"), ("boss", "a")}
    known |= {("has", "south", "3"), ("has", "south", "2"), ("turn", "south"), IDLE}
    known |= {("outstanding", card) for card in HIDDEN}
    return StripsProblem(
        game=StripsGame(operators=OPERATORS),
        information=InformationSet(true=frozenset(known | _static_atoms())),
        belief=IndependentChoices(
            groups=tuple((("has", "west", card), ("has", "east", card)) for card in HIDDEN),
            cardinalities=(Cardinality(frozenset(("has", "west", card) for card in HIDDEN), 2),),
        ),
        objective=lambda state: _won(state) / 2 if _played(state) == 2 else None,
        evaluation=lambda state: _won(state) / 2,
    )


def _static_atoms() -> set[GroundTerm]:
    """Atoms that never change: seats, ranks and the order of small cards."""
    after = {seat: SEATS[(place + 1) % 4] for place, seat in enumerate(SEATS)}
    facts: set[GroundTerm] = {("agent", seat) for seat in SEATS}
    facts |= {("control", "north"), ("control", "south")}
    facts |= {("partner", "north", "south"), ("partner", "south", "north")}
    facts |= {("left", seat, other) for seat, other in after.items()}
    facts |= {("above", high, low) for low in RANKS for high in RANKS[RANKS.index(low) + 1 :]}
    facts |= {("low-order", *cards) for cards in LOW_ORDER}
    for leader in SEATS:
        second, third = after[leader], after[after[leader]]
        order = (leader, second, third)
        facts |= {("passes", leader, seat, after[seat]) for seat in order}
        facts.add(("closes", leader, after[third]))
    return facts


def _won(state: State) -> int:
    return sum(atom[0] == "took" and atom[1] in {"north", "south"} for atom in state)


def _played(state: State) -> int:
    return sum(atom[0] == "took" for atom in state)


def run(settings: Settings, seed: int, name: str) -> Document:
    """The plan by one criterion; nothing is left to chance."""
    tree = Planner(network=NETWORK, criterion=criterion(name)).plan(finesse_problem().start())
    decision = decision_at(tree.root)
    assert decision is not None
    finesse, cash = (child.value for child in tree.root.children)
    return {
        "criterion": name,
        "nodes": len(tree.nodes),
        "finesse": finesse,
        "cash": cash,
        "chosen": decision.schemes[0].title,
        "answers": [_answer(node) for node in answers_at(decision.after)],
        "words": explanation(tree),
    }


def _answer(node: PlanNode) -> Document:
    """A card of West's in the first trick, and the answer to it."""
    reply = decision_at(node)
    assert reply is not None
    return {
        "west": node.operator[2],
        "probability": node.mass,
        "method": reply.schemes[0].name,
        "north": reply.operator[2],
        "value": node.value,
    }


VALUES = columns(
    ("criterion", "{criterion}"),
    ("tricks by the finesse", lambda record: f"{2 * record['finesse']:.3f}"),
    ("by cashing the ace", lambda record: f"{2 * record['cash']:.3f}"),
    ("chosen", "{chosen}"),
    ("nodes", "{nodes}"),
)


def table(records: Sequence[Document]) -> str:
    """Tricks by criterion, then the answers that figure 2 names, and the plan in words."""
    first = records[0]
    answers = [
        [
            "K♦" if answer["west"] == "k" else "4♦",
            answer["west"].upper(),
            f"{answer['probability']:.3f}",
            answer["method"],
            answer["north"].upper(),
            f"{2 * answer['value']:.3f}",
        ]
        for answer in first["answers"]
    ]
    head = ["West in figure 2", "West", "probability", "method", "North", "tricks"]
    return "\n".join(
        [
            VALUES(records),
            "",
            f"Their largest tree, of a whole deal, had {PUBLISHED_LARGEST:,} nodes.",
            "",
            markdown(head, [*answers, ["none of the suit", "", "0.000", "", "", ""]]),
            "",
            f"The plan by `{first['criterion']}`:",
            "",
            "```text",
            first["words"],
            "```",
        ]
    )


STUDY = Study(
    name="tignum-finesse",
    what="A finesse as a decision tree of methods, by all criteria",
    source="S. J. J. Smith and D. S. Nau (1993), figures 1 and 2, sections 4 and 5",
    settings={"criteria": ("belief", "average", "minimax", "hurwicz:0.5", "hurwicz:1", "savage")},
    quick={},
    cells=("criteria",),
    run=run,
    table=table,
)
