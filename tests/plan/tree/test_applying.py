"""Applicable methods: in all worlds or none where we move, in some where others do."""

from __future__ import annotations

import pytest
from coins import HEADS, TAILS, coin_game, even, lits, say, words

from fogspiel.core.findings import PlayError
from fogspiel.core.source import Source, Span
from fogspiel.plan.task_network import Method, MethodLiteral, TaskNetwork
from fogspiel.plan.tree.applying import Instance, instances
from fogspiel.plan.tree.building import Planner


def applicable(method: Method, *, controlled: bool) -> list[Instance]:
    problem = coin_game(even, controlled=("we",) if controlled else ())
    return list(instances(words(method), None, problem.start()))


def test_a_method_of_ours_that_asks_for_what_is_hidden_is_an_error() -> None:
    with pytest.raises(PlayError) as raised:
        applicable(say("peek", "we", "heads", MethodLiteral(HEADS)), controlled=True)
    (finding,) = raised.value.findings
    assert finding.code == "PLN020"
    assert "method peek" in finding.message
    assert "1 of 2 consistent worlds" in finding.message
    assert "(coin heads)" in finding.message


def test_the_error_shows_the_literal_in_its_file() -> None:
    text = "(method peek (task nil) (when (coin heads)) (do (say we heads they)))"
    at = Span(text.index("(coin"), text.index("(coin") + len("(coin heads)"))
    method = say("peek", "we", "heads", MethodLiteral(HEADS, span=at))
    network = TaskNetwork(name="n", methods=(method,), source=Source("peek.methods", text))
    with pytest.raises(PlayError, match=r"peek\.methods:1:31: PLN020") as raised:
        Planner(network=network).plan(coin_game(even).start())
    assert raised.value.findings[0].span == at


def test_a_negated_atom_is_named_with_its_not() -> None:
    with pytest.raises(PlayError, match=r"not \(coin heads\)"):
        applicable(
            say("peek", "we", "tails", MethodLiteral(HEADS, positive=False)), controlled=True
        )


def test_the_same_method_of_another_agent_is_assumed_to_apply() -> None:
    (found,) = applicable(say("peek", "we", "heads", MethodLiteral(HEADS)), controlled=False)
    assert found.mask is not None
    assert found.mask.tolist() == [True, False]


def test_conditions_that_exclude_each_other_make_a_method_apply_nowhere() -> None:
    """Each of them splits the worlds, but together they hold in none, and that is known."""
    both = say("both", "we", "edge", MethodLiteral(HEADS), MethodLiteral(TAILS))
    assert applicable(both, controlled=True) == []
    assert applicable(both, controlled=False) == []


def test_a_method_that_applies_everywhere_has_no_mask() -> None:
    (found,) = applicable(say("plain", "we", "hello"), controlled=True)
    assert found.mask is None
    assert found.bindings["?next"] == "they"


def test_variables_take_all_values_in_the_order_of_the_atoms() -> None:
    any_side = say("guess", "we", "?side", *lits(("coin", "?side")))
    assert [found.bindings["?side"] for found in applicable(any_side, controlled=False)] == [
        "heads",
        "tails",
    ]


@pytest.mark.parametrize(("positive", "others"), [(True, ["nobody", "they"]), (False, ["we"])])
def test_distinct_compares_terms(positive: bool, others: list[str]) -> None:
    method = say(
        "greet",
        "we",
        "?who",
        *lits(("agent", "?who")),
        MethodLiteral(("distinct", "?who", "we"), positive=positive),
    )
    found = applicable(method, controlled=True)
    assert [instance.bindings["?who"] for instance in found] == others
