"""Sizes of a compiled game: what the grounder found possible, and the gates made of it.

A game from the cache has the sizes and the times of the load that put it there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fogspiel.machine.compiled.machine import CompiledMachine
from fogspiel.machine.protocol import Machine


@dataclass(frozen=True, slots=True, kw_only=True)
class GameSizes:
    """Counts of what the rules came to. Only compiled games have them: others are not grounded."""

    fluents: int  #: Facts that may hold in some state, with those that always do
    moves_by_role: dict[str, int]  #: The number of moves that may be legal in some state
    percepts_by_role: dict[str, int]  #: The number of percepts that a role may have
    ground_rules: int  #: Rules without variables
    gates: int  #: AND gates of the network that computes a step
    inputs: int  #: Inputs of all gates together
    loops: int  #: Variables that are computed repeatedly, since rules are recursive
    ground_seconds: float  #: Time that grounding took
    build_seconds: float  #: Time that building the network took

    @property
    def moves(self) -> int:
        """The number of moves of all roles."""
        return sum(self.moves_by_role.values())

    @property
    def percepts(self) -> int:
        """The number of percepts of all roles."""
        return sum(self.percepts_by_role.values())


def sizes_of(machine: Machine) -> GameSizes | None:
    """The sizes of a compiled game; None for a machine without gates."""
    if not isinstance(machine, CompiledMachine):
        return None
    network = machine.network
    return GameSizes(
        fluents=len(network.fluents) + len(network.always),
        moves_by_role=_by_role(machine, network.moves),
        percepts_by_role=_by_role(machine, network.percepts),
        ground_rules=machine.game.ground_rules,
        gates=network.gate_count,
        inputs=network.input_count,
        loops=len(network.gates.loop_slots),
        ground_seconds=machine.game.ground_seconds,
        build_seconds=network.seconds,
    )


def _by_role(machine: Machine, things: Sequence[Sequence[object]]) -> dict[str, int]:
    """The number of things of each role."""
    return {role: len(things[at]) for at, role in enumerate(machine.roles)}
