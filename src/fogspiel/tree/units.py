"""Payoffs in another unit: chips instead of goals. Strategies and their order stay the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from fogspiel.tree.game_tree import GameTree

Number = int | float | Fraction
"""Floats are taken for the decimal fractions that they print as: 0.1 is a tenth."""


def in_units(tree: GameTree, scale: Number, offset: Number | Sequence[Number]) -> GameTree:
    """The tree with payoffs (p - offset) / scale, exactly.

    scale: above 0, so that who wins still wins. offset: of all players, or of each.
    """
    exact_scale = _exact(scale)
    if exact_scale <= 0:
        raise ValueError(f"the scale of payoffs must be above 0; got {scale}")
    given = offset if isinstance(offset, Sequence) else [offset] * len(tree.players)
    if len(given) != len(tree.players):
        raise ValueError(f"{len(tree.players)} players need as many offsets; got {len(given)}")
    offsets = [_exact(own) for own in given]
    table = tuple(
        tuple((payoff - own) / exact_scale for payoff, own in zip(row, offsets, strict=True))
        for row in tree.exact_payoffs
    )
    return replace(tree, exact_payoffs=table)


def _exact(number: Number) -> Fraction:
    return Fraction(str(number)) if isinstance(number, float) else Fraction(number)
