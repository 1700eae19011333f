"""Behaviour strategies by knowledge, apart from the tree that they were computed on.

The knowledge of a role is the list of its observations, one a step. Lists with a common beginning
share it: knowledge 0 is that of the start, and each other one extends an earlier one by an
observation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.findings import UsageError
from fogspiel.core.values import Unit
from fogspiel.solve.arrays import treeplex
from fogspiel.solve.result import Strategy, action_starts, checked
from fogspiel.tree.game_tree import NO_INFOSET, GameTree, ObservationText, node_sequences

START = 0  #: The number of every role's knowledge before the first step


@dataclass(frozen=True, slots=True)
class MixedAction:
    """A mixed action over one of the action sets of a role."""

    action_set: int
    probabilities: tuple[float, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class RoleStrategy:
    """The strategy of one role, by its knowledge."""

    observations: Sequence[ObservationText]
    knowledge: Sequence[tuple[int, int]]
    """The knowledge before and the observation that extends it; the first is number 1."""
    action_sets: Sequence[tuple[str, ...]]
    choices: Mapping[int, MixedAction]  #: The decisions, by the number of the knowledge
    _numbers: dict[ObservationText, int] = field(init=False, repr=False)
    _following: dict[tuple[int, int], int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Make the tables for look-up."""
        numbers = {seen: number for number, seen in enumerate(self.observations)}
        following = {pair: number for number, pair in enumerate(self.knowledge, start=1)}
        object.__setattr__(self, "_numbers", numbers)
        object.__setattr__(self, "_following", following)

    def after(self, known: int, seen: ObservationText) -> int | None:
        """The number of the knowledge after an observation; None if the strategy has none."""
        number = self._numbers.get(seen)
        return None if number is None else self._following.get((known, number))

    def actions_at(self, known: int) -> dict[str, float] | None:
        """Actions with their probabilities; None where the role has no choice."""
        choice = self.choices.get(known)
        if choice is None:
            return None
        return dict(zip(self.action_sets[choice.action_set], choice.probabilities, strict=True))

    def actions_after(self, knowledge: Iterable[ObservationText]) -> dict[str, float] | None:
        """Actions with their probabilities after all that the role did and saw.

        None where it has no choice, and for knowledge that the strategy says nothing about.
        """
        known = START
        for seen in knowledge:
            following = self.after(known, seen)
            if following is None:
                return None
            known = following
        return self.actions_at(known)


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The game and the solution that a strategy comes from."""

    game: str
    rules_digest: str
    roles: tuple[str, ...]  #: All but chance, in the order of the rules
    unit: Unit
    values: tuple[float, ...]
    """The value of each role in the unit; the exploitability is in the unit, too."""
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
        """The mixed action of a role with some knowledge: actions with their probabilities.

        None where the role has no choice, or where play never leads by the rules.
        Raises `UsageError` SOL025 for a role that the strategy is not for.
        """
        if role not in self.roles:
            raise UsageError.of(
                "SOL025",
                f"the strategy has no role {role!r}",
                fix=f"its roles are {', '.join(self.origin.roles)}",
            )
        return self.roles[role].actions_after(knowledge)


def role_strategies(tree: GameTree, strategy: Strategy) -> dict[str, RoleStrategy]:
    """A strategy by role.

    Raises `UsageError` SOL001 for no strategy, SOL024 where a tree does not tell what roles know.
    """
    checked(tree, strategy)
    players = enumerate(tree.players, 1)
    return {role: role_strategy(tree, strategy, player) for player, role in players}


def role_strategy(tree: GameTree, strategy: Strategy, player: int) -> RoleStrategy:
    """The strategy of one player, from 1 on. Raises `UsageError` SOL024 as `role_strategies`."""
    observations: dict[ObservationText, int] = {}
    following: dict[tuple[int, int], int] = {}
    action_sets: dict[tuple[str, ...], int] = {}
    choices: dict[int, MixedAction] = {}
    names, starts = tree.infosets.names, tree.infosets.starts
    for infoset in range(int(starts[player - 1]), int(starts[player])):
        known = START
        for seen in observations_at(tree, infoset):
            number = observations.setdefault(seen, len(observations))
            known = following.setdefault((known, number), len(following) + 1)
        actions = action_sets.setdefault(names.actions(infoset), len(action_sets))
        # Rounding in solvers may leave probabilities slightly below 0.
        positive = np.maximum(strategy.at(infoset), 0.0)
        choices[known] = MixedAction(actions, tuple((positive / positive.sum()).tolist()))
    return RoleStrategy(
        observations=tuple(observations),
        knowledge=tuple(following),
        action_sets=tuple(action_sets),
        choices=choices,
    )


def observations_at(tree: GameTree, infoset: int) -> tuple[ObservationText, ...]:
    """The observations that lead a player to an infoset.

    Raises `UsageError` SOL024 if the tree does not tell them.
    """
    observations = tree.infosets.names.observations(infoset)
    if observations is None:
        raise UsageError.of(
            "SOL024",
            "this tree was not made from rules, so that its infosets have labels only",
            fix="make the tree from the rules of the game",
        )
    return observations


def strategy_on(tree: GameTree, saved: StrategyFile) -> Strategy:
    """A saved strategy at the infosets of a tree.

    Raises `UsageError` SOL001 if it does not hold each infoset with its actions.
    """
    infosets = tree.infosets
    flat: list[float] = []
    for infoset in range(len(infosets)):
        role = tree.players[int(infosets.players[infoset]) - 1]
        found = saved.probabilities(role, observations_at(tree, infoset)) or {}
        actions = infosets.names.actions(infoset)
        if found.keys() != set(actions):
            label = infosets.names.infoset(infoset)
            raise UsageError.of(
                "SOL001",
                f"this is no strategy for the game: it does not say what {role} does at {label!r}",
                fix="use a strategy that was computed on these rules",
            )
        flat += [found[action] for action in actions]
    probabilities = np.array(flat, np.float64)
    return checked(tree, Strategy(starts=action_starts(infosets), probabilities=probabilities))


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyRow:
    """The mixed action of a role at one infoset, to be printed."""

    infoset: int
    role: str
    knows: str  #: What it did and saw, cut to its end where that is long
    reach: float  #: The probability that play comes here, if all follow the strategy
    actions: tuple[tuple[str, float], ...]


def most_reached(tree: GameTree, strategy: Strategy, player: int, rows: int) -> list[StrategyRow]:
    """The infosets of a player, from 1 on, that are reached most; equals in order of play."""
    first, end = tree.infosets.starts[player - 1 : player + 1].tolist()
    reach, names = infoset_reach(tree, strategy), tree.infosets.names
    # Rounded, so that sums in another order of the same terms do not change the list.
    order = np.argsort(-np.round(reach[first:end], 12), kind="stable")[:rows] + first
    return [
        StrategyRow(
            infoset=infoset,
            role=tree.players[player - 1],
            knows=names.infoset(infoset),
            reach=float(reach[infoset]),
            actions=tuple(zip(names.actions(infoset), strategy.at(infoset).tolist(), strict=True)),
        )
        for infoset in order.tolist()
    ]


def infoset_reach(tree: GameTree, strategy: Strategy) -> NDArray[np.float64]:
    """(infosets,) the probability that play comes there, if all follow the strategy."""
    reach = tree.chance_reach.copy()
    sequences = node_sequences(tree)
    for player in range(len(tree.players)):
        plan = treeplex(tree.infosets, player + 1).plan(strategy)
        reach *= plan[sequences[:, player]]
    owned = tree.node_infosets != NO_INFOSET
    found: NDArray[np.float64] = np.zeros(len(tree.infosets))
    np.add.at(found, tree.node_infosets[owned], reach[owned])
    return found
