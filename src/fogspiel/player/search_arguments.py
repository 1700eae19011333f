"""What may follow the name of a player that simulates: a constant, an evaluation, or both.

`uct:c=1`, `uct:mobility` and `uct:c=1,mobility,steps=4` are all `uct`, set up in other ways.
"""

from __future__ import annotations

from dataclasses import replace

from fogspiel.player.arguments import number, unusable
from fogspiel.player.searching import Setup
from fogspiel.search.bandits import UCB
from fogspiel.search.ends import ARGUMENT, ending_of

CONSTANT = "c"
POINTS = 100.0
"""Constants are told for goals up to 100, as Shafiei (2010) tells them; searches use 0 to 1."""


def argument_of(setup: Setup) -> str:
    """What may follow, for people."""
    if setup.rule.kind != UCB:
        return ARGUMENT
    return f"{CONSTANT}=C, how much to explore for goals of 100; or {ARGUMENT}"


def adapted(name: str, setup: Setup, argument: str) -> Setup:
    """A setup as an argument changes it.

    Raises `UsageError` PLY021 for a constant that is none, and those of `ending_of`.
    """
    first, comma, rest = argument.partition(",")
    key, equals, value = first.partition("=")
    if key != CONSTANT or not equals:
        return replace(setup, ending=ending_of(argument))
    if setup.rule.kind != UCB:
        raise unusable(name, first, "no constant: it does not choose by bounds")
    changed = replace(setup, rule=replace(setup.rule, constant=_constant(name, value) / POINTS))
    return replace(changed, ending=ending_of(rest)) if comma else changed


def _constant(name: str, text: str) -> float:
    constant = number(text)
    if constant is None:
        wanted = f"a number that is not negative, e.g. {name}:{CONSTANT}=40"
        raise unusable(name, f"{CONSTANT}={text}", wanted)
    return constant
