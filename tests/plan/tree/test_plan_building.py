"""Trees grow by methods, within limits, and refuse what would never end."""

from __future__ import annotations

from itertools import count
from types import SimpleNamespace

import pytest
from coins import HEADS, coin_game, even, lits, say, words
from tree_drawing import draw

from fogspiel.core.findings import LimitError, PlayError
from fogspiel.plan.strips.beliefs import State
from fogspiel.plan.task_network import Method, MethodLiteral, Pattern, TaskNetwork
from fogspiel.plan.tree.building import Planner
from fogspiel.plan.tree.nodes import DecisionTree, LeafReason, NodeKind, TreeLimits, decision_at

TURN = lits(("turn", "?a"), ("then", "?a", "?next"))
SAY = Method(name="say", task=("say", "?a", "?w"), when=TURN, operator=("say", "?a", "?w", "?next"))


def split(name: str, task: Pattern | None, *expansion: Pattern, when: Pattern = "") -> Method:
    conditions = lits(when) if when else ()
    return Method(name=name, task=task, when=conditions, expansion=expansion)


def grown(network: TaskNetwork, limits: TreeLimits | None = None) -> DecisionTree:
    return Planner(network=network, limits=limits or TreeLimits()).plan(coin_game(even).start())


def test_a_tree_without_methods_is_a_leaf_with_its_static_evaluation() -> None:
    tree = grown(words())
    assert tree.root.kind is NodeKind.LEAF
    assert tree.root.end is LeafReason.NO_METHOD
    assert tree.value == 0.5
    assert decision_at(tree.root) is None


def test_tasks_are_done_before_those_that_were_there() -> None:
    network = words(
        split("begin", None, ("talk", "we"), ("say", "they", "bye")),
        split("talk", ("talk", "?a"), ("say", "?a", "hello")),
        SAY,
    )
    moves = [node.step.operator for node in grown(network).nodes if node.step is not None]
    assert [move[2] for move in moves if move is not None] == ["hello", "bye"]


def test_a_method_for_nil_does_not_apply_while_there_are_tasks() -> None:
    tree = grown(words(split("begin", None, ("unheard", "we"))))
    assert [node.end for node in tree.nodes] == [None, LeafReason.NO_METHOD]


def test_children_stand_in_the_order_of_methods_then_of_solutions() -> None:
    network = words(say("second", "we", "z"), say("first", "we", "?who", *lits(("agent", "?who"))))
    children = grown(network).root.children
    words_said = [
        child.step.operator[2] for child in children if child.step and child.step.operator
    ]
    assert words_said == ["z", "nobody", "they", "we"]


def test_solutions_that_make_no_difference_are_one_child() -> None:
    greet = say("greet", "we", "hello", *lits(("agent", "?anybody")))
    assert len(grown(words(greet)).root.children) == 1


def endless_cases() -> dict[str, tuple[TaskNetwork, list[str]]]:
    return {
        "a task of its own": (
            words(split("begin", None, ("a", "we")), split("again", ("a", "?x"), ("a", "?x"))),
            ["again"],
        ),
        "two that hand it on": (
            words(
                split("begin", None, ("a", "we")),
                split("there", ("a", "?x"), ("b", "?x")),
                split("back", ("b", "?x"), ("a", "?x"), ("a", "?x")),
            ),
            ["there", "back"],
        ),
        "nil that does nothing": (words(split("idle", None)), ["idle"]),
        "nil through an empty task": (
            words(split("begin", None, ("a", "we")), split("skip", ("a", "?x"))),
            ["begin", "skip"],
        ),
        "terms that grow": (
            words(
                split("begin", None, ("a", "we")), split("more", ("a", "?x"), ("a", ("s", "?x")))
            ),
            ["begin", "more", "more"],
        ),
    }


@pytest.mark.parametrize("case", endless_cases())
def test_a_task_that_comes_back_without_a_move_is_an_error(case: str) -> None:
    network, chain = endless_cases()[case]
    with pytest.raises(PlayError) as raised:
        grown(network)
    (finding,) = raised.value.findings
    assert finding.code == "PLN021"
    assert ": " + " > ".join(chain) in finding.message


def test_a_task_may_come_back_once_it_was_done() -> None:
    network = words(
        split("begin", None, ("a", "we"), ("a", "we"), ("say", "we", "hello")),
        split("skip", ("a", "?x")),
        SAY,
    )
    assert decision_at(grown(network).root) is not None


def test_a_task_may_come_back_after_a_move() -> None:
    network = words(
        split("begin", None, ("chat", "we")),
        Method(
            name="chat",
            task=("chat", "?x"),
            when=TURN,
            expansion=(("say", "?a", "hm"), ("chat", "?x")),
        ),
        SAY,
    )
    tree = grown(network)
    assert [node.moves for node in tree.leaves()] == [2]


def test_many_decompositions_in_a_row_may_be_allowed() -> None:
    steps = [split(f"m{n}", (f"t{n}", "?x"), (f"t{n + 1}", "?x")) for n in range(8)]
    network = words(split("begin", None, ("t0", "we")), *steps)
    assert len(grown(network).nodes) == 10
    with pytest.raises(PlayError, match="PLN021"):
        grown(network, TreeLimits(decompositions=5))


def product_of(count: int) -> TaskNetwork:
    """A method with that many conditions that have nothing to do with each other: 3 ways each."""
    loose = lits(*(("agent", f"?x{number}") for number in range(count)))
    return words(say("loose", "we", "hello", *loose))


def test_conditions_that_multiply_are_stopped_with_the_method_named() -> None:
    limits = TreeLimits(ways=1_000)
    assert len(grown(product_of(5), limits).nodes) == 2
    with pytest.raises(LimitError) as raised:
        grown(product_of(9), limits)
    (finding,) = raised.value.findings
    assert finding.code == "PLN028"
    assert "loose" in finding.message


def test_the_clock_is_looked_at_within_a_node(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that goes on by a second at each look allows few of all 3 ** 12 ways."""
    looks = count()
    clock = SimpleNamespace(monotonic=lambda: float(next(looks)))
    monkeypatch.setattr("fogspiel.plan.tree.building.time", clock)
    monkeypatch.setattr("fogspiel.plan.tree.applying.time", clock)
    tree = grown(product_of(12), TreeLimits(seconds=2.5))
    assert [node.end for node in tree.nodes] == [LeafReason.UNEXPANDED]
    assert next(looks) < 10


@pytest.mark.parametrize("field", ["nodes", "decompositions", "ways"])
def test_limits_that_allow_nothing_are_refused(field: str) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        TreeLimits(**{field: 0})


def pairs() -> TaskNetwork:
    """Two words for each side: 1 + 2 + 4 nodes."""
    return words(*(say(f"{a}-{w}", a, w) for a in ("we", "they") for w in ("yes", "no")))


@pytest.mark.parametrize(
    ("nodes", "size"), [(1, 1), (2, 1), (3, 3), (4, 3), (5, 5), (6, 5), (7, 7)]
)
def test_a_node_gets_all_of_its_children_or_none(nodes: int, size: int) -> None:
    assert len(grown(pairs(), TreeLimits(nodes=nodes)).nodes) == size


def test_nodes_of_few_moves_are_expanded_first() -> None:
    tree = grown(pairs(), TreeLimits(nodes=5))
    assert [node.moves for node in tree.nodes] == [0, 1, 1, 2, 2]
    assert not tree.is_complete


def test_among_equals_the_more_probable_is_expanded_first() -> None:
    network = words(
        say("rare", "they", "tails", MethodLiteral(("coin", "tails"))),
        say("usual", "they", "heads", MethodLiteral(HEADS)),
        say("answer", "we", "ok"),
    )
    problem = coin_game(even, agents=("they", "we"), heads=0.9)
    tree = Planner(network=network, limits=TreeLimits(nodes=4)).plan(problem.start())
    rare, usual = tree.root.children
    assert (rare.mass, usual.mass) == pytest.approx((0.1, 0.9))
    assert rare.end is LeafReason.UNEXPANDED
    assert usual.kind is NodeKind.DECISION


def test_no_time_leaves_the_root_alone() -> None:
    assert len(grown(pairs(), TreeLimits(seconds=0.0)).nodes) == 1


def test_a_scheme_that_leads_to_no_move_is_not_chosen_for_its_evaluation() -> None:
    def worth(state: State) -> float:
        return 0.2 if ("said", "we", "hello") in state else 0.9

    network = words(
        split("dream", None, ("fly", "we")), say("plain", "we", "hello"), say("end", "they", "bye")
    )
    tree = Planner(network=network).plan(coin_game(worth).start())
    dream, plain = tree.root.children
    assert dream.is_dead
    assert dream.value == pytest.approx(0.9)
    assert tree.root.chosen is plain
    assert tree.value == pytest.approx(0.2)


def test_a_drawing_has_a_line_for_each_node_and_marks_choices() -> None:
    lines = draw(grown(pairs())).splitlines()
    assert len(lines) == 7
    assert lines[0] == "[decision of we; 1.000; 0.500]"
    assert lines[1] == "  * we-yes (say we yes they) [external of they; 1.000; 0.500]"
