"""Arguments of players that simulate: settings of the search, a leaf evaluation, or both.

`uct:c=1`, `uct:mobility` and `uct:c=1,together=1,mobility,steps=4` are `uct` with other settings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from fogspiel.core.values import FULL_GOAL
from fogspiel.players.protocol import number, unusable
from fogspiel.players.searching.search_player import Setup
from fogspiel.search.evaluation.leaf import ARGUMENT, leaf_evaluation_of

CONSTANT, TOGETHER, MEMORY = "c", "together", "memory"


def argument_of(setup: Setup) -> str:
    """Text for users about the arguments of a player with this setup."""
    constant = f"{CONSTANT}=C, exploration constant for goals of 100; "
    return (
        f"{constant if setup.algorithm.has_bonus else ''}"
        f"{TOGETHER}=N, most simulations under way at once; {MEMORY}=MB, memory of the tree; "
        f"or {ARGUMENT}"
    )


def adapted(name: str, setup: Setup, argument: str) -> Setup:
    """A setup with the changes of an argument.

    Raises `UsageError` PLY021 for wrong numbers, and the errors of `leaf_evaluation_of`.
    """
    changes = dict(CHANGES)
    parts = argument.split(",")
    while parts and "=" in parts[0] and (key := parts[0].partition("=")[0]) in changes:
        setup = changes.pop(key)(name, setup, parts.pop(0))
    return replace(setup, leaves=leaf_evaluation_of(",".join(parts))) if parts else setup


def _with_constant(name: str, setup: Setup, text: str) -> Setup:
    if not setup.algorithm.has_bonus:
        raise unusable(name, text, "no constant: it does not choose by bounds")
    constant = number(text.partition("=")[2])
    if constant is None:
        raise unusable(name, text, f"a number that is not negative, e.g. {name}:{CONSTANT}=40")
    # The constant is for goals up to 100, as in Shafiei (2010); searches use values up to 1.
    return replace(setup, algorithm=setup.algorithm.with_constant(constant / FULL_GOAL))


def _with_together(name: str, setup: Setup, text: str) -> Setup:
    count = text.partition("=")[2]
    if not count.isdecimal() or int(count) < 1:
        raise unusable(name, text, f"a whole number from 1 on, e.g. {name}:{TOGETHER}=1")
    return replace(setup, algorithm=replace(setup.algorithm, together=int(count)))


def _with_memory(name: str, setup: Setup, text: str) -> Setup:
    count = text.partition("=")[2]
    if not count.isdecimal() or int(count) < 1:
        raise unusable(name, text, f"a whole number of megabytes, e.g. {name}:{MEMORY}=256")
    return replace(setup, max_bytes=int(count) << 20)


CHANGES: Mapping[str, Callable[[str, Setup, str], Setup]] = {
    CONSTANT: _with_constant,
    TOGETHER: _with_together,
    MEMORY: _with_memory,
}
"""Changes by the key of a setting, given the player's name, its setup and the setting as text."""
