"""A strategy apart from the tree that it was found on: what a role does, by what it knows.

What a role knows is the list of its sights, one a step. Lists that begin alike share their
beginning: knowledge 0 is that of the start, and each other one is an earlier one with a sight more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from fogspiel.core.findings import UsageError
from fogspiel.core.units import Unit
from fogspiel.solve.result import Strategy, action_starts, checked
from fogspiel.tree.game_tree import GameTree
from fogspiel.tree.infoset_names import ObservationText

START = 0
"""The number of what every role knows before the first step."""


@dataclass(frozen=True, slots=True)
class MixedAction:
    """What a role does where it has a choice."""

    menu: int
    """Which list of actions it chooses from."""
    probabilities: tuple[float, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class RoleStrategy:
    """What one role does, by what it knows."""

    sights: Sequence[ObservationText]
    knowledge: Sequence[tuple[int, int]]
    """What was known before, and the sight that was added; the first is that of number 1."""
    menus: Sequence[tuple[str, ...]]
    choices: Mapping[int, MixedAction]
    """By the number of what is known."""
    _numbers: dict[ObservationText, int] = field(init=False, repr=False)
    _following: dict[tuple[int, int], int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Make the tables that look things up."""
        numbers = {sight: number for number, sight in enumerate(self.sights)}
        following = {pair: number for number, pair in enumerate(self.knowledge, start=1)}
        object.__setattr__(self, "_numbers", numbers)
        object.__setattr__(self, "_following", following)

    def after(self, known: int, sight: ObservationText) -> int | None:
        """The number of what is known one step later; None for what the book does not hold."""
        number = self._numbers.get(sight)
        return None if number is None else self._following.get((known, number))

    def actions_at(self, known: int) -> dict[str, float] | None:
        """Actions with their probabilities; None where the role has no choice."""
        choice = self.choices.get(known)
        if choice is None:
            return None
        return dict(zip(self.menus[choice.menu], choice.probabilities, strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a strategy comes from, and what is known about it."""

    game: str
    rules_digest: str
    roles: tuple[str, ...]
    """All but chance, in the order of the rules."""
    unit: Unit
    values: tuple[float, ...]
    """In the unit, as is the exploitability."""
    exploitability: float
    method: str
    parameters: Mapping[str, object]
    iterations: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StrategyFile:
    """A strategy of all roles that can be followed without the tree."""

    origin: Origin
    roles: Mapping[str, RoleStrategy]

    def probabilities(
        self, role: str, knowledge: Iterable[ObservationText]
    ) -> dict[str, float] | None:
        """What a role that knows this does: actions with their probabilities.

        None where the role has no choice, or where play never leads by the rules.
        Raises `UsageError` SOL025 for a role that the strategy is not for.
        """
        if role not in self.roles:
            raise UsageError.of(
                "SOL025",
                f"the strategy has no role {role!r}",
                fix=f"its roles are {', '.join(self.origin.roles)}",
            )
        book, known = self.roles[role], START
        for sight in knowledge:
            following = book.after(known, sight)
            if following is None:
                return None
            known = following
        return book.actions_at(known)


def books_of(tree: GameTree, strategy: Strategy) -> dict[str, RoleStrategy]:
    """The strategy by role. Raises `UsageError` SOL024 where a tree does not tell what roles know.

    Raises `UsageError` SOL001 for what is no strategy.
    """
    checked(tree, strategy)
    return {role: role_book(tree, strategy, player) for player, role in enumerate(tree.players, 1)}


def role_book(tree: GameTree, strategy: Strategy, player: int) -> RoleStrategy:
    """What one player, from 1 on, does. Raises `UsageError` SOL024 as `books_of`."""
    sights: dict[ObservationText, int] = {}
    following: dict[tuple[int, int], int] = {}
    menus: dict[tuple[str, ...], int] = {}
    choices: dict[int, MixedAction] = {}
    names, starts = tree.infosets.names, tree.infosets.starts
    for infoset in range(int(starts[player - 1]), int(starts[player])):
        known = START
        for sight in steps_of(tree, infoset):
            number = sights.setdefault(sight, len(sights))
            known = following.setdefault((known, number), len(following) + 1)
        menu = menus.setdefault(names.actions(infoset), len(menus))
        # Solvers may leave traces below 0 that rounding makes.
        shares = np.maximum(strategy.at(infoset), 0.0)
        choices[known] = MixedAction(menu, tuple((shares / shares.sum()).tolist()))
    return RoleStrategy(
        sights=tuple(sights), knowledge=tuple(following), menus=tuple(menus), choices=choices
    )


def steps_of(tree: GameTree, infoset: int) -> tuple[ObservationText, ...]:
    """What the player of an infoset did and saw. Raises `UsageError` SOL024 if nobody knows."""
    sights = tree.infosets.names.observations(infoset)
    if sights is None:
        raise UsageError.of(
            "SOL024",
            "this tree was not made from rules, so that its infosets have labels only",
            fix="make the tree from the rules of the game",
        )
    return sights


def strategy_on(tree: GameTree, book: StrategyFile) -> Strategy:
    """The strategy of a book at the infosets of a tree.

    Raises `UsageError` SOL001 if the book does not hold each infoset with its actions.
    """
    infosets = tree.infosets
    parts: list[list[float]] = []
    for infoset in range(len(infosets)):
        role = tree.players[int(infosets.players[infoset]) - 1]
        found = book.probabilities(role, steps_of(tree, infoset)) or {}
        actions = infosets.names.actions(infoset)
        if found.keys() != set(actions):
            raise UsageError.of(
                "SOL001",
                f"this is no strategy for the game: it does not say what {role} does at "
                f"{infosets.names.infoset(infoset)!r}",
                fix="use a strategy that was computed on these rules",
            )
        parts.append([found[action] for action in actions])
    flat = np.array([share for part in parts for share in part], np.float64)
    return checked(tree, Strategy(starts=action_starts(infosets), probabilities=flat))
