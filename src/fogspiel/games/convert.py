"""Conversion between languages.

                 to GDL-II                 to POGDDL            to EFG
    GDL-II       written anew              to_pogddl            unfolded
    POGDDL       to_gdl                    written anew         unfolded
    EFG          through POGDDL            as_pogddl            written anew

Rules stay rules: only a game in extensive form, which has none, becomes a table of its nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from fogspiel.core.findings import Finding, RulesError, errors_in
from fogspiel.core.limits import GroundLimits
from fogspiel.core.source import Source
from fogspiel.core.values import Unit
from fogspiel.games.load import load_sources
from fogspiel.machine.protocol import Machine
from fogspiel.rules.efg.as_pogddl import as_pogddl
from fogspiel.rules.efg.checks import read_and_check as read_efg
from fogspiel.rules.efg.syntax import ExtensiveGame
from fogspiel.rules.efg.write import write as write_efg
from fogspiel.rules.gdl.read import read_description
from fogspiel.rules.gdl.syntax import Notation
from fogspiel.rules.gdl.write import write as write_gdl
from fogspiel.rules.languages import language_of
from fogspiel.rules.pogddl.write import write as write_pogddl
from fogspiel.rules.translate.to_gdl.to_gdl import to_gdl
from fogspiel.rules.translate.to_pogddl.to_pogddl import to_pogddl
from fogspiel.tree.build.build import build
from fogspiel.tree.preorder import PreorderTree, efg_of_tree, to_preorder, tree_of_efg

DEFAULT_MAX_NODES = 1_000_000  #: Nodes of a tree that is written as EFG
Format: TypeAlias = Literal["gdl", "infix", "pogddl", "efg"]
"""`gdl` is GDL-II in prefix notation, `infix` the same with `:-`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion:
    """A game in another language."""

    text: str  #: The text in the other language
    game: str  #: Its name, as far as it has one
    offset: int = 0  #: The goal that stands for a payoff of 0, of a text in GDL-II
    scale: int = 1  #: payoff = (goal - offset) / scale, of a text in GDL-II


def convert(
    sources: Sequence[Source],
    to: Format,
    *,
    name: str = "game",
    unit: Unit | None = None,
    limits: GroundLimits | None = None,
    max_nodes: int = DEFAULT_MAX_NODES,
    progress: Callable[[int], None] | None = None,
) -> Conversion:
    """Write a game in another language, or its own anew.

    unit: what goals stand for; EFG is then written in that unit.
    progress: of the tree, for EFG: called with the nodes so far.
    Raises `RulesError` for rules with errors, `LimitError` for a tree with too many nodes, and
    what `to_gdl` and `to_pogddl` raise.
    """
    language = language_of(sources[0].text)
    notation = Notation.INFIX if to == "infix" else Notation.PREFIX
    if language == "gdl" and to in {"gdl", "infix"}:
        return Conversion(text=_rewritten(sources[0], notation), game=name)
    if language == "efg" and to == "efg":
        return Conversion(text=write_efg(_read_efg(sources[0])), game=name)
    if to == "efg":
        tree = game_tree(sources, title=name, limits=limits, max_nodes=max_nodes, progress=progress)
        return Conversion(text=write_efg(efg_of_tree(_in_unit(tree, unit))), game=name)
    if language == "efg":
        # Names of the file may be such that rules in other languages cannot write them.
        written = write_pogddl(as_pogddl(_read_efg(sources[0])))
        sources = [Source(sources[0].name, written)]
    game = load_sources(sources, limits=limits)
    if to == "pogddl":
        if game.description is not None:
            return Conversion(text=write_pogddl(game.description), game=name)
        translated = to_pogddl(game.program, game.ground, name=name)
        return Conversion(text=write_pogddl(translated), game=name)
    assert game.description is not None  # a game in GDL was written above
    # A tree ends with one outcome, whose payoffs are the gains.
    translation = to_gdl(game.description, game.ground, only_one_gain=language == "efg")
    text = translation.text_in(notation)
    return Conversion(text=text, game=name, offset=translation.offset, scale=translation.scale)


def tree_as_efg(
    machine: Machine, *, name: str = "game", max_nodes: int = DEFAULT_MAX_NODES
) -> Conversion:
    """The tree of a machine, for games without rules as text. Raises `LimitError` TRE001."""
    tree = to_preorder(build(machine, title=name, max_nodes=max_nodes, merge=False))
    return Conversion(text=write_efg(efg_of_tree(tree)), game=name)


def game_tree(
    sources: Sequence[Source],
    *,
    title: str = "",
    limits: GroundLimits | None = None,
    max_nodes: int = DEFAULT_MAX_NODES,
    progress: Callable[[int], None] | None = None,
) -> PreorderTree:
    """The tree of a game: as it stands in an EFG file, or built from rules.

    progress: called with the nodes so far. Raises `LimitError` for a tree with too many nodes.
    """
    if language_of(sources[0].text) == "efg":
        return tree_of_efg(_read_efg(sources[0]))
    machine = load_sources(sources, limits=limits).machine
    tree = build(machine, title=title, max_nodes=max_nodes, progress=progress, merge=False)
    return to_preorder(tree)


def _in_unit(tree: PreorderTree, unit: Unit | None) -> PreorderTree:
    """The tree with payoffs in place of goals."""
    if unit is None:
        return tree
    table = tuple(tuple(map(unit.exact_value, goals)) for goals in tree.payoff_table)
    return replace(tree, payoff_table=table)


def _rewritten(source: Source, notation: Notation) -> str:
    """The same rules in GDL, laid out by our writer."""
    description, findings = read_description(source)
    _refuse(findings)
    return write_gdl(description, notation)


def _read_efg(source: Source) -> ExtensiveGame:
    game, findings = read_efg(source)
    _refuse(findings)
    assert game is not None
    return game


def _refuse(findings: Sequence[Finding]) -> None:
    errors = errors_in(findings)
    if errors:
        raise RulesError(errors)
