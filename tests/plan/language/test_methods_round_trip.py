"""Networks that are written as text read back equal."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from network_text import network_text

from fogspiel.core.source import Source
from fogspiel.plan.language.reading import read_network
from fogspiel.plan.task_network import Method, MethodLiteral, Pattern, TaskNetwork

LETTERS = st.characters(codec="utf-8", exclude_characters="?")
NAMES = st.text(LETTERS, min_size=1, max_size=6) | st.sampled_from(
    ["not", "NOT", "nil", "a b", "|"]
)
TEXTS = st.text(st.characters(codec="utf-8"), max_size=300)
VARIABLES = st.sampled_from(["?a", "?x", "?y"])
TERMS: st.SearchStrategy[Pattern] = st.recursive(
    NAMES | VARIABLES,
    lambda inner: st.tuples(NAMES, inner) | st.tuples(NAMES, inner, inner),
    max_leaves=5,
)
ATOMS = NAMES.filter(lambda name: name.lower() != "distinct") | st.tuples(NAMES, TERMS)
LITERALS = st.builds(MethodLiteral, ATOMS, st.booleans())
TASKS = st.tuples(NAMES, VARIABLES, TERMS)
BOUND = MethodLiteral(("bind", "?a", "?x", "?y"))
METHODS = st.builds(
    lambda task, when, way, title, note: Method(
        name="",
        task=task,
        when=(BOUND, *when),
        operator=way if not isinstance(way, list) else None,
        expansion=tuple(way) if isinstance(way, list) else (),
        title=title,
        note=note,
    ),
    st.none() | TASKS,
    st.lists(LITERALS, max_size=4),
    TERMS | st.lists(TASKS, max_size=3),
    TEXTS,
    TEXTS,
)
NETWORKS = st.builds(
    lambda name, note, facts, drawn, methods: TaskNetwork(
        name=name,
        note=note,
        facts=tuple(facts),
        draws_others=drawn,
        methods=tuple(replace(one, name=f"m{at}") for at, one in enumerate(methods)),
    ),
    NAMES,
    TEXTS,
    st.lists(st.tuples(NAMES, NAMES) | st.tuples(NAMES, st.tuples(NAMES, NAMES)), unique=True),
    st.booleans(),
    st.lists(METHODS, max_size=4),
)


def bare(network: TaskNetwork) -> TaskNetwork:
    """A network without the places of its parts."""
    methods = tuple(
        replace(one, span=None, when=tuple(replace(literal, span=None) for literal in one.when))
        for one in network.methods
    )
    return replace(network, methods=methods, source=None)


@settings(max_examples=80, deadline=None)
@given(NETWORKS)
def test_a_network_that_was_written_reads_back_equal(network: TaskNetwork) -> None:
    text = network_text(network)
    read, findings = read_network(Source("again.methods", text))
    # Tasks are drawn by chance, so some have no method; the form has no faults.
    unanswered = {"PLN010", "PLN011", "PLN013", "PLN014"}
    assert {finding.code for finding in findings} <= unanswered
    kept = [one.name for one in read.methods]
    lost = {one.name for one in network.methods} - set(kept)
    assert all(one.expansion for one in network.methods if one.name in lost)
    same = replace(network, methods=tuple(one for one in network.methods if one.name in kept))
    assert bare(read) == bare(same)
