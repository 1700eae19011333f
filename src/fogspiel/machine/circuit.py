"""One step of a game as gates: what a solver needs to reason about play without playing.

Node 0 is true, then come fluents, moves of all roles, loop variables and gates; a literal is
2·node + negated. Every gate is the conjunction of its inputs and reads nodes before it alone. A
loop variable stands for the value of a relation that depends on itself: it begins false and takes
the value of its source, pass by pass, until nothing changes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Literals = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class GateLoop:
    """Gates to be evaluated repeatedly, up to the least fixpoint."""

    first: int  #: The first gate, a node
    end: int  #: The node after the last gate
    variables: NDArray[np.int64]  #: Nodes of the loop variables
    sources: Literals  #: (variables,) value of each variable in the next pass


@dataclass(frozen=True, slots=True, kw_only=True)
class StepCircuit:
    """One step: from fluents and moves to legality, percepts and the fluents after it."""

    fluents: int  #: Fluent f is node 1 + f
    role_starts: NDArray[np.int64]
    """(roles + 1,) the moves of role r are role_starts[r] to role_starts[r + 1]."""
    first_gate: int  #: First gate; all nodes before it are inputs or loop variables
    starts: NDArray[np.int64]
    """(gates + 1,) the inputs of gate g are inputs[starts[g]:starts[g + 1]]."""
    inputs: Literals
    loops: tuple[GateLoop, ...]
    legal: Literals  #: (moves,)
    terminal: int
    next: Literals  #: (fluents,)
    percepts: tuple[Literals, ...]  #: Literals of the percepts of each role
    weighted: bool  #: Whether some moves of chance are more probable than others

    @property
    def first_move(self) -> int:
        """The node of the first move of the first role."""
        return 1 + self.fluents
