"""One suit of bridge: North holds ace and queen, South 32, and the king is somewhere.

The network follows figures 1 and 2 of Smith and Nau (1993); nobody can be out of the suit in the
first trick, so their busted finesse does not occur. Run as a program this writes the drawing of the
tree that a test compares with.
"""

from __future__ import annotations

from pathlib import Path

from fogspiel.plan.strips.beliefs import Cardinality, IndependentChoices
from fogspiel.plan.strips.model import InformationSet, PrimitiveOperator, State, StripsGame
from fogspiel.plan.strips.situation import StripsProblem
from fogspiel.plan.task_network import Method, MethodLiteral, Pattern, TaskNetwork
from fogspiel.plan.tree.drawing import draw
from fogspiel.plan.tree.planning import Planner

GOLDEN = Path(__file__).with_name("finesse_tree.txt")

RANKS = "239tjqka"
SEATS = ("north", "east", "south", "west")
HIDDEN = "9tjk"
LOW_ORDER = (("2", "-", "-"), ("3", "2", "-"), ("9", "-", "-"), ("t", "9", "-"), ("j", "9", "t"))
"""A small card, and those that are played before it."""


def when(*atoms: Pattern) -> tuple[MethodLiteral, ...]:
    """Atoms, of which those under `not` must not hold."""
    return tuple(
        MethodLiteral(atom[1], positive=False) if atom[0] == "not" else MethodLiteral(atom)
        for atom in atoms
    )


HAS = ("has", "?p", "?c")
TURN = ("turn", "?p")
BEST = ("best", "?b", "?d")
OVER, UNDER = ("above", "?c", "?d"), ("above", "?d", "?c")
IDLE = ("idle", "table")
LEADER = ("leader", "?l")
GONE = (HAS, ("outstanding", "?c"))
LED = (HAS, IDLE, ("passes", "?p", "?p", "?q"))
PASSED = (HAS, BEST, LEADER, ("passes", "?l", "?p", "?q"))
CLOSED = (HAS, BEST, LEADER, ("closes", "?l", "?p"))
FOLLOW, LAST = ("?p", "?c", "?b", "?d", "?q", "?l"), ("?p", "?c", "?b", "?d", "?l")


def operator(
    name: str,
    parameters: tuple[str, ...],
    conditions: tuple[Pattern, ...],
    *,
    add: tuple[Pattern, ...],
    delete: tuple[Pattern, ...],
) -> PrimitiveOperator:
    return PrimitiveOperator(
        name=name,
        parameters=parameters,
        when=when(*conditions),
        add=add,
        delete=(*GONE, *delete),
    )


TOOK = (("took", "?p", "?c"), IDLE), (("took", "?b", "?d"), ("turn", "?b"), IDLE)
OPERATORS = (
    operator(
        "lead",
        ("?p", "?c", "?q"),
        LED,
        add=(("best", "?p", "?c"), ("leader", "?p"), ("turn", "?q")),
        delete=(TURN, IDLE),
    ),
    operator(
        "over",
        FOLLOW,
        (*PASSED, OVER),
        add=(("best", "?p", "?c"), ("turn", "?q")),
        delete=(TURN, BEST),
    ),
    operator("under", FOLLOW, (*PASSED, UNDER), add=(("turn", "?q"),), delete=(TURN,)),
    operator("last-over", LAST, (*CLOSED, OVER), add=TOOK[0], delete=(BEST, LEADER)),
    operator("last-under", LAST, (*CLOSED, UNDER), add=TOOK[1], delete=(TURN, BEST, LEADER)),
)

PLAY = ("play", "?p", "?c")
PLAYS = (
    Method(name="lead", task=PLAY, when=when(TURN, *LED), operator=("lead", "?p", "?c", "?q")),
    Method(name="over", task=PLAY, when=when(TURN, *PASSED, OVER), operator=("over", *FOLLOW)),
    Method(name="under", task=PLAY, when=when(TURN, *PASSED, UNDER), operator=("under", *FOLLOW)),
    Method(
        name="last-over",
        task=PLAY,
        when=when(TURN, *CLOSED, OVER),
        operator=("last-over", *LAST),
    ),
    Method(
        name="last-under",
        task=PLAY,
        when=when(TURN, *CLOSED, UNDER),
        operator=("last-under", *LAST),
    ),
)

LOW = (HAS, ("low-order", "?c", "?x", "?y"), ("not", ("has", "?p", "?x")))
LOWEST = (*LOW, ("not", ("has", "?p", "?y")))
OURS = (TURN, ("control", "?p"), IDLE, ("partner", "?p", "?r"))
AROUND = (("left", "?p", "?w"), ("left", "?r", "?e"))
THIRD = ("third", "?p", "?low", "?gap", "?top")

FINESSE = Method(
    name="finesse",
    task=None,
    title="Finesse",
    note="lead towards a tenace and hope that the card it lacks lies before it",
    when=when(
        *OURS,
        *AROUND,
        ("outstanding", "?gap"),
        ("has", "?r", "?low"),
        ("above", "?gap", "?low"),
        ("has", "?r", "?top"),
        ("above", "?top", "?gap"),
    ),
    expansion=(
        ("lead-low", "?p"),
        ("second", "?w"),
        ("third", "?r", "?low", "?gap", "?top"),
        ("fourth", "?e"),
    ),
)
CASH = Method(
    name="cash",
    task=None,
    title="Cash a winner",
    when=when(*OURS, *AROUND, ("has", "?r", "?top"), ("boss", "?top")),
    expansion=(("lead-low", "?p"), ("second", "?w"), ("play", "?r", "?top"), ("fourth", "?e")),
)
RUN_ON = Method(
    name="run-on",
    task=None,
    when=when(
        TURN,
        IDLE,
        ("took", "?someone", "?card"),
        HAS,
        ("left", "?p", "?q"),
        ("left", "?q", "?r"),
        ("left", "?r", "?s"),
    ),
    expansion=(("play", "?p", "?c"), ("follow", "?q"), ("follow", "?r"), ("follow", "?s")),
)
PARTS = (
    Method(name="lead-low", task=("lead-low", "?p"), when=when(*LOWEST), expansion=(PLAY,)),
    Method(
        name="second-low",
        task=("second", "?p"),
        note="second hand plays low",
        when=when(*LOWEST),
        expansion=(PLAY,),
    ),
    Method(
        name="second-high",
        task=("second", "?p"),
        note="the king goes up",
        when=when(("has", "?p", "k")),
        expansion=(("play", "?p", "k"),),
    ),
    Method(
        name="standard-finesse",
        task=THIRD,
        when=when(("best", "?w", "?c"), ("above", "?low", "?c")),
        expansion=(("play", "?p", "?low"),),
    ),
    Method(
        name="easy-finesse",
        task=THIRD,
        when=when(("best", "?w", "?gap")),
        expansion=(("play", "?p", "?top"),),
    ),
    Method(
        name="fourth-wins",
        task=("fourth", "?p"),
        when=when(BEST, HAS, OVER),
        expansion=(PLAY,),
    ),
    Method(name="fourth-low", task=("fourth", "?p"), when=when(*LOWEST), expansion=(PLAY,)),
    Method(name="follow", task=("follow", "?p"), when=when(HAS), expansion=(PLAY,)),
)
NETWORK = TaskNetwork(name="finessing", methods=(FINESSE, CASH, RUN_ON, *PARTS, *PLAYS))


def network_without(*names: str) -> TaskNetwork:
    """The same network without some schemes."""
    methods = tuple(method for method in NETWORK.methods if method.name not in names)
    return TaskNetwork(name="part", methods=methods)


def static_atoms() -> set[Pattern]:
    """What never changes: seats, ranks and the order of small cards."""
    after = {seat: SEATS[(place + 1) % 4] for place, seat in enumerate(SEATS)}
    facts: set[Pattern] = {("agent", seat) for seat in SEATS}
    facts |= {("control", "north"), ("control", "south"), ("boss", "a")}
    facts |= {("partner", "north", "south"), ("partner", "south", "north")}
    facts |= {("left", seat, other) for seat, other in after.items()}
    facts |= {("above", high, low) for low in RANKS for high in RANKS[RANKS.index(low) + 1 :]}
    facts |= {("low-order", *cards) for cards in LOW_ORDER}
    for leader in SEATS:
        seat = leader
        for _ in range(3):
            facts.add(("passes", leader, seat, after[seat]))
            seat = after[seat]
        facts.add(("closes", leader, seat))
    return facts


def tricks(state: State) -> tuple[int, int]:
    """How many tricks we took, and how many there were."""
    takers = [atom[1] for atom in state if atom[0] == "took"]
    return sum(seat in {"north", "south"} for seat in takers), len(takers)


def objective(state: State) -> float | None:
    ours, played = tricks(state)
    return ours / 2 if played == 2 else None


def evaluation(state: State) -> float:
    return tricks(state)[0] / 2


def finesse_problem() -> StripsProblem:
    """South leads; each of the four hidden cards is West's or East's, two each."""
    held: set[Pattern] = {("has", "north", "a"), ("has", "north", "q")}
    held |= {("has", "south", "3"), ("has", "south", "2")}
    start: set[Pattern] = {("turn", "south"), IDLE}
    start |= {("outstanding", card) for card in HIDDEN}
    return StripsProblem(
        game=StripsGame(operators=OPERATORS),
        information=InformationSet(true=frozenset(held | start | static_atoms())),
        belief=IndependentChoices(
            groups=tuple((("has", "west", card), ("has", "east", card)) for card in HIDDEN),
            cardinalities=(Cardinality(frozenset(("has", "west", card) for card in HIDDEN), 2),),
        ),
        objective=objective,
        evaluation=evaluation,
    )


def finesse_drawing() -> str:
    """The whole tree as text."""
    return draw(Planner(network=NETWORK).plan(finesse_problem().start()))


if __name__ == "__main__":
    GOLDEN.write_text(finesse_drawing(), encoding="utf-8")
