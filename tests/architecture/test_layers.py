"""Imports point down the list of layers only, and modules of a package form no cycle."""

from __future__ import annotations

import ast
import re
from collections import defaultdict

import pytest
from limits import (
    CALLS_UPWARD,
    CHOOSES_ENGINES,
    KNOW_ONE_ANOTHER,
    LAYERS,
    PAST_THE_WAIST,
    WAIST,
)
from sources import imports_of, modules, tree_of

from fogspiel.api import ABOVE, from_above

MODULE = re.compile(r"\bfogspiel\.([a-z]+)\b")
ROOT = {"fogspiel", "fogspiel._version"}
"""The front door: it leads to every layer, and layers may ask it for the version alone."""


def layer(module: str) -> str:
    return module.split(".")[1]


def test_every_package_has_its_place_in_the_list() -> None:
    packages = {layer(module) for module in modules() if module not in ROOT}
    assert packages == set(LAYERS)


def test_imports_point_down() -> None:
    upward = [
        f"{module}, line {line}: {imported}"
        for module in modules()
        if module not in ROOT
        for imported, line in imports_of(module)
        if imported not in ROOT and LAYERS.index(layer(imported)) > LAYERS.index(layer(module))
    ]
    assert not upward


def test_rooms_above_are_named_in_one_place() -> None:
    """An import by name is an import too: only the registry of `api` may call upward so."""
    upward = {
        module
        for module, path in modules().items()
        if module not in ROOT and LAYERS.index(layer(module)) <= LAYERS.index("api")
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for named in MODULE.findall(node.value)
        if named in LAYERS and LAYERS.index(named) > LAYERS.index(layer(module))
    }
    assert upward == CALLS_UPWARD


@pytest.mark.parametrize("name", ABOVE)
def test_what_is_found_above_is_there(name: str) -> None:
    place = ABOVE[name].split(".")[1]
    assert LAYERS.index(place) > LAYERS.index("api")
    assert callable(from_above(name))


def test_rooms_below_know_nothing_of_the_front_door() -> None:
    """`from fogspiel import Game` in a lower room would be an upward import that nothing shows."""
    asked = {
        f"{module}: {alias.name}"
        for module, path in modules().items()
        if module not in ROOT and LAYERS.index(layer(module)) <= LAYERS.index("api")
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ImportFrom) and node.module == "fogspiel"
        for alias in node.names
        if alias.name != "__version__"
    }
    assert asked == set()


def test_the_machine_is_the_waist() -> None:
    """Only loading and measuring look past the protocol at a machine's inside."""
    beyond = tuple(f"fogspiel.machine.{engine}." for engine in WAIST)
    users = {
        module
        for module in modules()
        if module not in ROOT and layer(module) not in PAST_THE_WAIST
        for imported, _ in imports_of(module)
        if imported.startswith(beyond)
    }
    assert users == CHOOSES_ENGINES


def test_no_module_takes_part_in_a_cycle() -> None:
    graph: dict[str, set[str]] = defaultdict(set)
    for module in modules():
        if module != "fogspiel" and not module.startswith(KNOW_ONE_ANOTHER):
            graph[module] = {name for name, _ in imports_of(module) if name != "fogspiel"}
    assert not _cycle(graph)


def _cycle(graph: dict[str, set[str]]) -> list[str]:
    """Some cycle of the graph, or nothing. Modules that import nothing unfinished are removed."""
    rest = {module: targets & graph.keys() for module, targets in graph.items()}
    while free := {module for module, targets in rest.items() if not targets}:
        rest = {m: targets - free for m, targets in rest.items() if m not in free}
    if not rest:
        return []
    path = [min(rest)]
    while path[-1] not in path[:-1]:
        path.append(min(rest[path[-1]]))
    return path[path.index(path[-1]) :]
