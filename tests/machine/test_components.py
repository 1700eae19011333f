"""Strongly connected components against reachability by brute force."""

from __future__ import annotations

import numpy as np
from ground_rules import ground_rules
from hypothesis import given
from hypothesis import strategies as st

from fogspiel.ground.gringo import GroundRules
from fogspiel.machine.compiled.compile.assemble import components, definitions_of

ATOMS = 9
literals = st.integers(1, ATOMS).flatmap(lambda atom: st.sampled_from([atom, -atom]))
rule_sets = st.lists(st.tuples(st.integers(1, ATOMS), st.lists(literals, max_size=3)), max_size=14)


def reachable(edges: dict[int, set[int]], start: int) -> set[int]:
    """What an atom depends on, itself included."""
    found = {start}
    work = [start]
    while work:
        for below in edges[work.pop()] - found:
            found.add(below)
            work.append(below)
    return found


@given(rule_sets, st.sets(st.integers(1, ATOMS)), st.sets(st.integers(1, ATOMS)))
def test_components_are_the_classes_of_mutual_dependence_in_order(
    rules: list[tuple[int, list[int]]], roots: set[int], inputs: set[int]
) -> None:
    given_atoms = np.isin(np.arange(ATOMS + 1), sorted(inputs))
    atoms, ends = components(
        definitions_of(ground_rules(rules, ATOMS)), np.array(sorted(roots), np.int32), given_atoms
    )
    edges: dict[int, set[int]] = {atom: set() for atom in range(1, ATOMS + 1)}
    for head, body in rules:
        if head not in inputs:
            edges[head] |= {abs(literal) for literal in body} - inputs
    depends = {atom: reachable(edges, atom) for atom in edges}
    found = [set(part.tolist()) for part in np.split(atoms, ends)[:-1]]
    wanted = set().union(*(depends[root] for root in roots - inputs), set())
    assert sum(map(len, found)) == len(wanted)
    assert set().union(*found, set()) == wanted
    settled: set[int] = set()
    for component in found:
        for atom in component:
            assert component == {other for other in depends[atom] if atom in depends[other]}
            assert depends[atom] <= settled | component
        settled |= component


@given(rule_sets, st.lists(st.booleans(), min_size=14, max_size=14))
def test_definitions_are_the_rules_by_head_without_choices(
    rules: list[tuple[int, list[int]]], choices: list[bool]
) -> None:
    plain = ground_rules(rules, ATOMS)
    marked = np.array(choices[: len(rules)], np.bool_)
    definitions = definitions_of(
        GroundRules(ATOMS, plain.heads, marked, plain.offsets, plain.literals)
    )
    for atom in range(1, ATOMS + 1):
        bodies = [
            definitions.literals[definitions.offsets[i] : definitions.offsets[i + 1]].tolist()
            for i in range(definitions.first[atom], definitions.first[atom + 1])
        ]
        kept = zip(rules, choices, strict=False)
        assert bodies == [body for (head, body), choice in kept if head == atom and not choice]


def test_a_chain_longer_than_any_call_stack_is_followed() -> None:
    length = 50_000
    chain = [(atom, [atom + 1]) for atom in range(1, length)]
    atoms, ends = components(
        definitions_of(ground_rules(chain, length)),
        np.array([1], np.int32),
        np.zeros(length + 1, np.bool_),
    )
    assert atoms.tolist() == list(range(length, 0, -1))
    assert len(ends) == length
