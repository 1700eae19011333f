"""The class of a game, which decides which players and solvers fit it.

Random walks find simultaneous moves, chance and hidden information. `True` is certain; `False` says
that the walks met no such state. `tree/game_kind` adds the size of the tree, estimated or exact.

`roles_seeing_all_moves` finds the roles that see every joint move, from the gates alone. All roles
do if the rules have no `sees`. A role that knew the state then knows the next one without its
percepts, which for many joint moves take longer to compute than successors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.terms import RoleId
from fogspiel.machine.analysis.random_walks import WalkStep, draw_joints, random_walks
from fogspiel.machine.memo import once_per_machine
from fogspiel.machine.protocol import Machine, StepCircuit

WALKS = 64  #: Number of walks side by side on the compiled machine, the lanes of one word
MAX_STEPS = 20_000  #: Most joint moves, enough to see the end of most games
MAX_REFERENCE_STEPS = 60
MAX_REFERENCE_SECONDS = 5.0  #: Time limit on the reference machine, where rules can be slow


@dataclass(frozen=True, slots=True, kw_only=True)
class GameKind:
    """Known properties of a game, from random walks or from its whole tree."""

    players: int  #: The number of roles other than chance
    chance: bool  #: Whether some state gives chance a choice
    simultaneous: bool = False  #: Whether some state gives two or more players a choice
    hidden_information: bool = False
    """Whether in some step a role cannot tell the joint move from another one in which its own
    move is the same."""
    secrecy: float = 0.0
    """Fraction of steps in which a role cannot tell the joint move from a random other one with
    its own move. In Battleship it is small, since the ships were placed before."""
    explored_steps: int = 0  #: Number of joint moves that were examined
    payoff_sums: tuple[Fraction, ...] = ()
    """Distinct sums of all players' payoffs in terminal states, ascending."""
    log10_nodes: float = math.inf
    """The decimal logarithm of the number of nodes, which can exceed the range of floats."""
    mean_steps: float = math.inf  #: The mean length of random walks
    longest: int = 0  #: The length of the longest random walk
    walks: int = 0  #: Number of random walks for the estimate of the size; 0 if it is exact
    ended: int = 0  #: Number of random walks that reached a terminal state in time
    nodes: int | None = None
    """The number of nodes of the tree; like the rest of its size, None if no tree was built."""
    leaves: int | None = None  #: The number of terminal nodes
    infosets: int | None = None  #: The number of information sets
    sequences: tuple[int, ...] = ()  #: The number of sequences of each player, with the empty one
    depth: int | None = None  #: Number of moves of players and chance in the longest history
    perfect_information: bool | None = None
    """Whether every infoset is a single node; simultaneous moves are hidden from each other."""
    parts: int = 1  #: The number of independent parts (`machine/analysis/independent_parts`)

    @property
    def constant(self) -> Fraction | None:
        """The sum of all players' payoffs, if it is always the same."""
        return self.payoff_sums[0] if len(self.payoff_sums) == 1 else None

    @property
    def is_two_player_constant_sum(self) -> bool:
        """Whether one player's gain is the other's loss: equilibria are then maximin plans."""
        return self.players == 2 and self.constant is not None

    @property
    def category(self) -> str:
        """`alone`: one player. `open`: simultaneous moves, nothing else hidden. `turns`: perfect
        information, one move at a time. `hidden`: all other games."""
        if self.players == 1:
            return "alone"
        if self.hidden_information:
            return "hidden"
        return "open" if self.simultaneous else "turns"


def explore(
    machine: Machine, *, hides: bool, seed: int = 0, budget: Budget | None = None
) -> GameKind:
    """The class of a game by random walks, without its size.

    hides: whether the rules say what roles see.
    budget: limit after which no further step is examined; by default some seconds on the reference
    machine, and none on the compiled one.
    """
    rng = np.random.default_rng(seed)
    compiled = machine.engine == "compiled"
    walks, limit = (WALKS, MAX_STEPS) if compiled else (1, MAX_REFERENCE_STEPS)
    if budget is None:
        budget = Budget.of(seconds=math.inf if compiled else MAX_REFERENCE_SECONDS)
    simultaneous = chance = False
    steps = unsure = doubtful = 0
    while steps < limit and not budget.is_over:
        before = steps
        for step in random_walks(machine, walks, rng):
            choices = [mask.sum(axis=1) > 1 for mask in step.legal]
            chance = chance or _chance_chooses(machine, choices)
            simultaneous = simultaneous or _players_choose(machine, choices)
            if hides:
                alike, drawn = _looks_alike(machine, step, rng)
                unsure, doubtful = unsure + alike, doubtful + drawn
            steps += len(step.joints)
            if steps >= limit or budget.is_over:
                break
        if steps == before:  # the initial state is terminal
            break
    return GameKind(
        players=len(machine.roles) - (machine.chance_role is not None),
        chance=chance,
        simultaneous=simultaneous,
        hidden_information=unsure > 0,
        secrecy=unsure / max(1, doubtful),
        explored_steps=steps,
    )


def _chance_chooses(machine: Machine, choices: list[NDArray[np.bool_]]) -> bool:
    return machine.chance_role is not None and bool(choices[machine.chance_role].any())


def _players_choose(machine: Machine, choices: list[NDArray[np.bool_]]) -> bool:
    players = [c for role, c in enumerate(choices) if role != machine.chance_role]
    return bool((np.sum(players, axis=0) > 1).any())


def _looks_alike(machine: Machine, step: WalkStep, rng: np.random.Generator) -> tuple[int, int]:
    """Count how often a second random joint move with the same own move gives a role the same
    percepts, and how often it is a different joint move."""
    others, alike, drawn = draw_joints(step.legal, rng), 0, 0
    for index in range(len(machine.roles)):
        if index == machine.chance_role:
            continue
        role = RoleId(index)
        joints = others.copy()
        joints[:, role] = step.joints[:, role]
        differs = (joints != step.joints).any(axis=1)
        if not differs.any():
            continue
        states = step.states[differs]
        seen = machine.percepts_batch(states, step.joints[differs], role)
        would_see = machine.percepts_batch(states, joints[differs], role)
        # The reference machine numbers percepts as it meets them: new columns are new percepts.
        width = seen.shape[1]
        same = (seen == would_see[:, :width]).all(axis=1) & ~would_see[:, width:].any(axis=1)
        alike, drawn = alike + int(same.sum()), drawn + len(same)
    return alike, drawn


@once_per_machine
def roles_seeing_all_moves(machine: Machine) -> frozenset[RoleId]:
    """The roles that see all moves of all others in every step; none for machines without gates."""
    circuit = machine.circuit()
    if circuit is None:
        return frozenset()
    return frozenset(
        role for role in map(RoleId, range(len(machine.roles))) if _watches(circuit, role)
    )


def _watches(circuit: StepCircuit, role: RoleId) -> bool:
    """Whether every move of the other roles is itself a percept of the role."""
    own = range(circuit.role_starts[role], circuit.role_starts[role + 1])
    moves = (move for move in range(circuit.role_starts[-1]) if move not in own)
    return {2 * (circuit.first_move + move) for move in moves} <= set(
        circuit.percepts[role].tolist()
    )
