"""The public surface is short, explicit and documented, and only the command line prints."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys

import pytest
from sources import modules, tree_of

import fogspiel

PUBLIC = [
    "Analysis", "Belief", "CheckReport", "Classroom", "Clock", "Comparison", "Finding",
    "FogspielError", "Game", "GameEntry", "GameInfo", "Histories", "History", "LimitError",
    "Match", "Move", "Percept", "PlayError", "Player", "PlayoutReport", "PythonGame", "Response",
    "Role", "Rules", "RulesError", "Series", "Severity", "Solution", "State", "Strategy",
    "Tournament", "Tree", "UsageError", "View", "__version__", "available_players",
    "bundled_games", "compare", "finding_codes", "game_families", "ggp", "leaf_evaluations",
    "load", "parts", "planning", "read", "solvers",
]  # fmt: skip

PRINTING = ("fogspiel.cli", "fogspiel.lab.benchmarks.worker", "fogspiel.ground.worker")
"""The command line, and the program that measures in a process of its own and prints the result."""


def test_public_names_are_exactly_these() -> None:
    assert fogspiel.__all__ == PUBLIC
    assert dir(fogspiel) == PUBLIC


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_can_be_imported(name: str) -> None:
    assert getattr(fogspiel, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'lode'"):
        importlib.import_module("fogspiel").lode  # noqa: B018 (asking is the test)


def test_importing_fogspiel_imports_nothing_heavy() -> None:
    program = "import sys, fogspiel; print(*{'numpy', 'numba', 'clingo'} & sys.modules.keys())"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == []


def test_every_module_says_what_it_is() -> None:
    silent = [name for name, path in modules().items() if not ast.get_docstring(tree_of(path))]
    assert not silent


def test_public_functions_and_classes_have_docstrings() -> None:
    bare = [
        f"{module}.{node.name}"
        for module, path in modules().items()
        for node in tree_of(path).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        and not node.name.startswith("_")
        and not ast.get_docstring(node)
    ]
    assert not bare


def test_names_listed_as_public_exist() -> None:
    missing = [
        f"{module}.{name}"
        for module, path in modules().items()
        for name in _listed(tree_of(path))
        if not hasattr(importlib.import_module(module), name)
    ]
    assert not missing


def test_library_code_does_not_print() -> None:
    printing = [
        f"{module}, line {node.lineno}"
        for module, path in modules().items()
        if not module.startswith(PRINTING)
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
    ]
    assert not printing


def _listed(tree: ast.Module) -> list[str]:
    """The names that a module lists in `__all__`."""
    names: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets
        ):
            names += ast.literal_eval(node.value)
    return names
