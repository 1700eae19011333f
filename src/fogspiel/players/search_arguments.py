"""Arguments of players that simulate: settings of the search, a leaf evaluation, or both.

`uct:c=1`, `uct:mobility` and `uct:c=1,together=1,mobility,steps=4` are `uct` with other settings.
"""

from __future__ import annotations

from dataclasses import replace

from fogspiel.core.values import FULL_GOAL
from fogspiel.players.names import Arguments
from fogspiel.players.protocol import number
from fogspiel.players.searching.search_player import Setup
from fogspiel.search.evaluation.leaf import (
    ARGUMENT,
    RANDOM_PLAYOUTS,
    SETTINGS,
    LeafEvaluation,
    leaf_evaluation_of,
)

CONSTANT, TOGETHER, MEMORY = "c", "together", "memory"


def argument_of(setup: Setup) -> str:
    """Text for users about the arguments of a player with this setup."""
    constant = f"{CONSTANT}=C (exploration constant, for goals up to 100), "
    return (
        f"{constant if setup.algorithm.has_bonus else ''}"
        f"{TOGETHER}=N (most simulations at the same time), {MEMORY}=MB (memory limit of the "
        f"tree), or {ARGUMENT}"
    )


def adapted(setup: Setup, arguments: Arguments) -> Setup:
    """A setup with the changes of arguments.

    Raises `UsageError` PLY021 for wrong numbers, and the errors of `leaf_evaluation_of`.
    """
    algorithm = setup.algorithm
    if (constant := arguments.setting(CONSTANT)) is not None:
        if not algorithm.has_bonus:
            raise arguments.unusable(
                f"{CONSTANT}={constant}", "no constant: it does not select by confidence bounds"
            )
        # The constant is for goals up to 100, as in Shafiei (2010); searches use values up to 1.
        algorithm = algorithm.with_constant(_constant(constant, arguments) / FULL_GOAL)
    if together := _count(TOGETHER, "a whole number from 1 on", arguments):
        algorithm = replace(algorithm, together=together)
    megabytes = _count(MEMORY, "a whole number of megabytes", arguments)
    return replace(
        setup,
        algorithm=algorithm,
        max_bytes=setup.max_bytes if megabytes is None else megabytes << 20,
        leaves=evaluation_in(arguments) or setup.leaves,
    )


def evaluation_in(arguments: Arguments) -> LeafEvaluation | None:
    """The leaf evaluation that the next word names, with its settings; None if no word is left.

    Raises the errors of `leaf_evaluation_of`.
    """
    name = arguments.word()
    if name is None:
        return None
    given = {key: arguments.setting(key) for key in SETTINGS}
    known = {key: value for key, value in given.items() if value is not None}
    return leaf_evaluation_of(name, known)


def leaves_in(arguments: Arguments) -> LeafEvaluation:
    """The leaf evaluation that the next word names; playouts alone if no word is left."""
    return evaluation_in(arguments) or RANDOM_PLAYOUTS


def _constant(text: str, arguments: Arguments) -> float:
    constant = number(text)
    if constant is None:
        example = f"{arguments.player}:{CONSTANT}=40"
        raise arguments.unusable(
            f"{CONSTANT}={text}", f"a number that is not negative, e.g. {example}"
        )
    return constant


def _count(key: str, wanted: str, arguments: Arguments) -> int | None:
    """The whole number of a setting, from 1 on; None if it is not given."""
    text = arguments.setting(key)
    if text is not None and (not text.isdecimal() or int(text) < 1):
        raise arguments.unusable(f"{key}={text}", f"{wanted}, e.g. {arguments.player}:{key}=256")
    return None if text is None else int(text)
