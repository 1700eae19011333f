"""A game in extensive form as an EFG file, one node a line. What is written reads back equal.

Infosets and outcomes are described in full wherever they occur. The format allows to say it once,
but not every reader does (OpenSpiel's wants actions at each node and payoffs without commas).
"""

from __future__ import annotations

from collections.abc import Iterator

from fogspiel.rules.efg.syntax import CHANCE, ExtensiveGame, Infoset, Node, Outcome
from fogspiel.rules.efg.tokens import quoted

MAX_INDENT = 40
"""Deeper nodes are not moved further to the right: files of deep trees would grow like squares."""


def write(game: ExtensiveGame, *, indent: bool = False) -> str:
    """The text of a game.

    indent: move every node two spaces to the right of its parent.
    """
    return "".join(lines_of(game, indent=indent))


def lines_of(game: ExtensiveGame, *, indent: bool = False) -> Iterator[str]:
    """The same line by line, for trees that are better not held as one text."""
    players = " ".join(map(quoted, game.players))
    yield f"EFG 2 R {quoted(game.title)} {{ {players} }}\n"
    yield quoted(game.comment) + "\n\n"
    infosets = [_infoset(infoset) for infoset in game.infosets]
    outcomes = [_outcome(outcome) for outcome in game.outcomes]
    depths: list[int] = []
    for node, parent in zip(game.nodes, game.parents, strict=True):
        depths.append(0 if not depths else depths[parent] + 1)
        margin = "  " * min(depths[-1], MAX_INDENT) if indent else ""
        yield f"{margin}{_node(node, infosets, outcomes)}\n"


def _node(node: Node, infosets: list[tuple[str, str]], outcomes: list[str]) -> str:
    outcome = "0" if node.outcome is None else outcomes[node.outcome]
    if node.infoset is None:
        return f"t {quoted(node.name)} {outcome}"
    letter, described = infosets[node.infoset]
    return f"{letter} {quoted(node.name)} {described} {outcome}"


def _infoset(infoset: Infoset) -> tuple[str, str]:
    """The letter of its nodes, and what stands between their names and their outcomes."""
    if infoset.player == CHANCE:
        letter, owner = "c", ""
        actions = " ".join(
            f"{quoted(action)} {probability}"
            for action, probability in zip(infoset.actions, infoset.probabilities, strict=True)
        )
    else:
        letter, owner = "p", f"{infoset.player} "
        actions = " ".join(map(quoted, infoset.actions))
    return letter, f"{owner}{infoset.number} {quoted(infoset.name)} {{ {actions} }}"


def _outcome(outcome: Outcome) -> str:
    payoffs = " ".join(map(str, outcome.payoffs))
    return f"{outcome.number} {quoted(outcome.name)} {{ {payoffs} }}"
