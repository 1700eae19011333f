"""Keys: by what the decision of a role is found while simulations walk.

- By state: as if everybody saw everything (UCT).
- By knowledge: all that the role did and saw (multiple-observer IS-MCTS).
- By the observer's knowledge: what the searching role did and saw, for everybody's decisions
  (single-observer IS-MCTS).
- By past: what the observer did and saw, while nodes are states alone, so that a small game is soon
  walked through without the machine (NORNS). Others have no decisions, or decide by state.
- By memory: the same without the order of observations. Fewer decisions are met more often. By
  memories: all players by their own.
- By belief: the observer's belief, whatever led to it. `belief_keys.BeliefKeys` follows beliefs.

Knowledge that belongs to nodes tells nodes apart: what is met with other knowledge is another node.
Knowledge that simulations carry does not, and is found in a table at every visit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.terms import Observation, RoleId
from fogspiel.machine.knowledge import (
    Keys,
    first_knowledge,
    knowledge_after,
    observation_key,
    set_keys,
)
from fogspiel.machine.protocol import Joints, Machine, States, player_roles
from fogspiel.search.mcts.kernels.simulations import ADDED, BY_NODE, MIXED

KeyName = Literal["state", "knowledge", "observer", "past", "memory", "memories", "belief"]
Follow = Callable[[Machine, RoleId, Keys, States, Joints], Keys]
"""(n,) keys of what a role knows after joint moves in states, given those before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionKeys:
    """The places where keys of all roles' decisions stand."""

    columns: NDArray[np.int64]  #: (roles,) see `kernels.simulations.BY_NODE`
    in_nodes: tuple[RoleId, ...] = ()  #: Roles whose knowledge belongs to nodes
    carried: tuple[RoleId, ...] = ()  #: Roles whose knowledge simulations carry
    combine: int = MIXED  #: The rule by which knowledge that is carried goes on
    follow: Follow = knowledge_after  #: The rule by which knowledge of nodes goes on


def decision_keys(
    name: KeyName, machine: Machine, observer: RoleId, follow: Follow = knowledge_after
) -> DecisionKeys:
    """The keys of a name, for a game and a searching role."""
    columns = np.full(len(machine.roles), BY_NODE)
    players = tuple(player_roles(machine))
    if name == "state":
        return DecisionKeys(columns=columns)
    if name == "knowledge":
        columns[list(players)] = _in_nodes(range(len(players)))
        return DecisionKeys(columns=columns, in_nodes=players)
    if name == "observer":
        columns[list(players)] = _in_nodes([0])
        return DecisionKeys(columns=columns, in_nodes=(observer,))
    if name == "belief":
        columns[observer] = _in_nodes([0])[0]
        return DecisionKeys(columns=columns, in_nodes=(observer,), follow=follow)
    if name == "memories":
        columns[list(players)] = range(len(players))
        return DecisionKeys(columns=columns, carried=players, combine=ADDED)
    columns[observer] = 0
    combine = ADDED if name == "memory" else MIXED
    return DecisionKeys(columns=columns, carried=(observer,), combine=combine)


def _in_nodes(columns: Sequence[int]) -> NDArray[np.int64]:
    return BY_NODE - 1 - np.array(columns)


def memory_of(machine: Machine, role: RoleId, observations: Sequence[Observation]) -> np.uint64:
    """A key of what a role did and saw, in any order."""
    keys = [first_knowledge(role)]
    keys += [observation_key(machine, role, own) for own in observations]
    return np.uint64(np.array(keys, np.uint64).sum(dtype=np.uint64))


def choice_keys(known: Keys, role: RoleId, legal: NDArray[np.bool_]) -> Keys:
    """(n,) keys of decisions between legal moves (n, moves), given keys of what is known."""
    return known ^ set_keys(role, legal)
