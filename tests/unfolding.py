"""The tree of a game, unfolded history by history: the plain way that `build` is checked against.

Depth first, by single questions to the machine, with nothing shared between histories.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from fogspiel.core.limits import MAX_DENOMINATOR, too_large
from fogspiel.core.terms import MoveId, Observation, RoleId, format_term
from fogspiel.machine.knowledge import observation_of
from fogspiel.machine.protocol import Machine, State
from fogspiel.rules.efg.syntax import CHANCE
from fogspiel.tree.build.build import build
from fogspiel.tree.game_tree import infoset_label, observation_label
from fogspiel.tree.preorder import TERMINAL, PreorderTree, TreeInfoset, to_preorder

Step = tuple[Observation, bool]
"""What a role observed, and whether its move was forced."""
Known = tuple[tuple[Step, ...], ...]
"""What each role observed so far."""


def unfold(machine: Machine, *, title: str = "", max_nodes: int = 1_000_000) -> PreorderTree:
    """The tree of a game. Payoffs are goals, divided by the scale of the machine."""
    unfolding = Unfolding(machine, max_nodes)
    unfolding.follow(machine.initial(), ((),) * len(machine.roles), -1, 0)
    return PreorderTree(
        title=title,
        players=tuple(machine.roles[role] for role in unfolding.players),
        parents=np.array([node[0] for node in unfolding.nodes]),
        actions=np.array([node[1] for node in unfolding.nodes]),
        infosets=np.array([node[2] for node in unfolding.nodes]),
        payoffs=np.array([node[3] for node in unfolding.nodes]),
        infoset_table=tuple(unfolding.infosets),
        payoff_table=tuple(unfolding.payoffs),
    )


def in_preorder(machine: Machine, *, title: str = "", max_nodes: int = 1_000_000) -> PreorderTree:
    """The same tree by the library."""
    return to_preorder(build(machine, title=title, max_nodes=max_nodes, merge=False))


def shape(tree: PreorderTree) -> tuple[int, int, int, int]:
    """Chance nodes, decisions, ends, and infosets of players."""
    kinds = Counter(min(mover, 1) for mover in tree.movers.tolist())
    infosets = sum(infoset.player != CHANCE for infoset in tree.infoset_table)
    return kinds[CHANCE], kinds[1], kinds[TERMINAL], infosets


class Unfolding:
    """The nodes so far, in preorder."""

    def __init__(self, machine: Machine, max_nodes: int) -> None:
        self.machine = machine
        self.max_nodes = max_nodes
        roles = [RoleId(role) for role in range(len(machine.roles))]
        self.players = [role for role in roles if role != machine.chance_role]
        self.order = sorted(roles, key=lambda role: role != machine.chance_role)
        self.nodes: list[tuple[int, int, int, int]] = []
        """Parent, action, infoset and payoff of each."""
        self.infosets: list[TreeInfoset] = []
        self.payoffs: dict[tuple[Fraction, ...], int] = {}
        self.numbers: dict[tuple[RoleId, tuple[Step, ...]], int] = {}
        self.labels: Counter[tuple[RoleId, str]] = Counter()

    def follow(self, state: State, known: Known, parent: int, action: int) -> None:
        """Add all that follows a state, below an action of a node."""
        machine = self.machine
        if machine.terminal(state):
            goals = machine.goals(state)
            payoffs = tuple(Fraction(goals[role], machine.goal_scale) for role in self.players)
            self.add(parent, action, TERMINAL, self.payoffs.setdefault(payoffs, len(self.payoffs)))
            return
        legal = [machine.legal(state, RoleId(role)) for role in range(len(machine.roles))]
        self.decide(state, known, legal, {}, parent, action)

    def decide(
        self,
        state: State,
        known: Known,
        legal: Sequence[Sequence[MoveId]],
        made: dict[RoleId, MoveId],
        parent: int,
        action: int,
    ) -> None:
        """Let the next role of a step move, or end the step."""
        if len(made) == len(legal):
            joint = [made[RoleId(role)] for role in range(len(legal))]
            after = tuple(
                (*own, (observation_of(self.machine, state, joint, RoleId(role)), len(moves) == 1))
                for role, (own, moves) in enumerate(zip(known, legal, strict=True))
            )
            self.follow(self.machine.step(state, joint), after, parent, action)
            return
        role = self.order[len(made)]
        if len(legal[role]) == 1:
            self.decide(state, known, legal, made | {role: legal[role][0]}, parent, action)
            return
        node = self.add(parent, action, self.infoset(state, role, known[role], legal[role]), -1)
        for place, move in enumerate(legal[role]):
            self.decide(state, known, legal, made | {role: move}, node, place)

    def add(self, parent: int, action: int, infoset: int, payoff: int) -> int:
        if len(self.nodes) == self.max_nodes:
            raise too_large(self.max_nodes)
        self.nodes.append((parent, action, infoset, payoff))
        return len(self.nodes) - 1

    def infoset(
        self, state: State, role: RoleId, known: tuple[Step, ...], legal: Sequence[MoveId]
    ) -> int:
        """The infoset of a role; of chance, one for each node."""
        if role != self.machine.chance_role and (role, known) in self.numbers:
            return self.numbers[role, known]
        number = self.numbers[role, known] = len(self.infosets)
        actions = tuple(format_term(self.machine.move_term(role, move)) for move in legal)
        if role == self.machine.chance_role:
            weights = self.machine.chance_weights(state).tolist()
            drawn = tuple(Fraction(own).limit_denominator(MAX_DENOMINATOR) for own in weights)
            self.infosets.append(TreeInfoset(CHANCE, "", actions, drawn))
        else:
            player, label = self.players.index(role) + 1, self.label(role, known)
            self.infosets.append(TreeInfoset(player, label, actions))
        return number

    def label(self, role: RoleId, known: Sequence[Step]) -> str:
        """What the role did and saw, with a number where the same label came before."""
        steps = [
            observation_label(self.machine, role, seen, is_forced=forced) for seen, forced in known
        ]
        label = infoset_label(reversed(steps))
        self.labels[role, label] += 1
        uses = self.labels[role, label]
        return label if uses == 1 else f"{label} #{uses}"
