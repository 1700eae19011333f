"""The compiled machine: implementation of the `Machine` protocol by a gate array.

Each width has a value array that is reused, so that a machine serves one thread at a time. What
only some uses need is imported by them, so that games from the cache are there at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.findings import PlayError
from fogspiel.core.terms import MoveId, Observation, PerceptId, RoleId, format_term
from fogspiel.machine.analysis.random_walks import turn_period
from fogspiel.machine.compiled.compile.compiled_game import CompiledGame
from fogspiel.machine.compiled.compile.naming import Naming, RegisterValues, circuit_of
from fogspiel.machine.compiled.kernel.evaluate import LANES, pack_bits
from fogspiel.machine.compiled.kernel.intrinsics import Width, aligned_words
from fogspiel.machine.compiled.kernel.wiring import GateMemory, pack_memory, view_gates
from fogspiel.machine.compiled.run.batch import (
    ALL_LEGAL,
    Guards,
    expand_state,
    read_percepts,
    read_states,
    step_states,
)
from fogspiel.machine.protocol import (
    DEFAULT_MAX_STEPS,
    Continuations,
    Engine,
    Expansion,
    Joints,
    Layer,
    LayerRun,
    Playouts,
    State,
    States,
    StepCircuit,
)
from fogspiel.machine.three_valued import Ternary

if TYPE_CHECKING:
    from fogspiel.ground.program import GroundProgram
    from fogspiel.machine.compiled.infoset.continuations import LayerRuns
    from fogspiel.machine.compiled.run.playout import PlayoutRuns

ONE_WORD: Width = (0,)
EIGHT_WORDS: Width = (0,) * 8
SIXTEEN_WORDS: Width = (0,) * 16
SMALL_SLOTS = 600  #: Most slots of which, with 16 words each, the first-level cache has room


class CompiledMachine(Naming):
    """A game compiled to gates, which evaluates 64 to 1,024 states or playouts at a time."""

    engine: Engine = "compiled"

    def __init__(self, program: GroundProgram | CompiledGame) -> None:
        """The machine of a ground program, or of what one was compiled into before."""
        if isinstance(program, CompiledGame):
            game = program
        else:
            from fogspiel.machine.compiled.compile.network import compile_game

            game = compile_game(program)
        self.game = game
        self.roles = game.roles
        self.chance_role = (
            None if game.chance_role is None else RoleId(self.roles.index(game.chance_role))
        )
        self.goal_scale = game.goal_scale
        super().__init__(game.network, RegisterValues(game.registers))
        self._guards = Guards(self.roles, self.network, self._numbers)
        self._gates = view_gates(self.network.gates)
        self._memories: dict[Width, tuple[NDArray[np.uint64], NDArray[np.uint64]]] = {}
        self._playout_runs: dict[Width, PlayoutRuns] = {}

    def initial(self) -> State:
        """The state in which play begins."""
        return self._initial.copy()

    @cached_property
    def _initial(self) -> State:
        return pack_bits(np.array(self.network.initial, np.bool_))

    def terminal(self, state: State) -> bool:
        """Whether the game is over."""
        return bool(self.terminal_batch(state[None, :])[0])

    def legal(self, state: State, role: RoleId) -> tuple[MoveId, ...]:
        """The moves of a role, ascending."""
        legal = self.legal_batch(state[None, :], role)[0]
        return tuple(map(MoveId, np.flatnonzero(legal).tolist()))

    def step(self, state: State, joint: Sequence[MoveId]) -> State:
        """The state after every role made its move."""
        successor: State = self.step_batch(state[None, :], np.array([joint], np.int32))[0]
        return successor

    def percepts(
        self, state: State, joint: Sequence[MoveId], role: RoleId
    ) -> tuple[PerceptId, ...]:
        """What a role sees when the joint move is made in the state."""
        seen = self.percepts_batch(state[None, :], np.array([joint], np.int32), role)[0]
        return tuple(map(PerceptId, np.flatnonzero(seen).tolist()))

    def goals(self, state: State) -> tuple[int, ...]:
        """The goal of every role."""
        return tuple(self.goals_batch(state[None, :])[0].tolist())

    def goal_values(self, state: State, role: RoleId) -> tuple[int, ...]:
        """Every goal value of a role that holds, ascending."""
        if self.network.raw_goals is None:
            return (self.goals(state)[role],)
        raw = self.network.raw_goals[role]
        literals = np.array([literal for _, literal in raw], np.uint32)
        holds = self._read(state[None, :], literals, with_goals=True)[0]
        return tuple(sorted({value for (value, _), held in zip(raw, holds, strict=True) if held}))

    def chance_weights(self, state: State) -> NDArray[np.float64]:
        """(moves,) probabilities of the legal moves of chance; equal where no rule weighs them."""
        if self.chance_role is None:
            return np.empty(0)
        legal = self.legal_batch(state[None, :], self.chance_role)[0]
        shares: NDArray[np.float64] = self.chance_weights_batch(state[None, :])[0, legal]
        return shares

    def chance_weights_batch(self, states: States) -> NDArray[np.float64]:
        """(n, moves of chance) probabilities, 0 for moves that are not legal."""
        if self.chance_role is None:
            return np.empty((len(states), 0))
        wiring = self.network.wiring
        weights = self.legal_batch(states, self.chance_role).astype(np.float64)
        if len(wiring.weights):
            held = self._read(states, wiring.weights, with_goals=False)
            sums = np.zeros_like(weights.T)
            moves = wiring.weight_moves - wiring.role_starts[self.chance_role]
            np.add.at(sums, moves, (wiring.weight_values * held).T)
            weights *= sums.T
        shares: NDArray[np.float64] = weights / np.maximum(1.0, weights.sum(axis=1, keepdims=True))
        return shares

    def terminal_batch(self, states: States) -> NDArray[np.bool_]:
        """(n,) whether each state is terminal."""
        literal = np.array([self.network.wiring.terminal], np.uint32)
        ended: NDArray[np.bool_] = self._read(states, literal, with_goals=False)[:, 0]
        return ended

    def legal_batch(self, states: States, role: RoleId) -> NDArray[np.bool_]:
        """(n, moves of the role) legality."""
        wiring = self.network.wiring
        literals = wiring.legal[wiring.role_starts[role] : wiring.role_starts[role + 1]]
        return self._read(states, literals, with_goals=False)

    def step_batch(self, states: States, joints: Joints) -> States:
        """(n, words) successors."""
        joints = self._guards.joints(states, joints)
        width = self._width(len(states))
        successors = np.zeros_like(states)
        states = np.ascontiguousarray(states)
        illegal = step_states(self._packed(width), states, joints, successors, width)
        if illegal != ALL_LEGAL:
            self._guards.check_joint(joints[illegal])
            raise self._illegal(states[illegal], joints[illegal])
        self._guards.check_faults(successors)
        return successors

    def percepts_batch(self, states: States, joints: Joints, role: RoleId) -> NDArray[np.bool_]:
        """(n, percepts of the role) what the role sees."""
        joints = self._guards.joints(states, joints)
        width = self._width(len(states))
        literals = self.network.percept_literals[role]
        seen = np.zeros((len(states), len(literals)), np.bool_)
        states = np.ascontiguousarray(states)
        unknown = read_percepts(self._packed(width), states, joints, literals, seen, width)
        if unknown != ALL_LEGAL:
            self._guards.check_joint(joints[unknown])
        return seen

    def goals_batch(self, states: States) -> NDArray[np.int64]:
        """(n, roles) goals."""
        wiring = self.network.wiring
        holds = self._read(states, wiring.goals, with_goals=True)
        goals = np.zeros((len(states), len(self.roles) + 1), np.int64)
        for k in range(len(wiring.goals)):
            goals[:, wiring.goal_roles[k]] += wiring.goal_values[k] * holds[:, k]
        return goals[:, :-1]

    def expand(self, state: State) -> Expansion:
        """All children of a state that is not terminal."""
        state = np.ascontiguousarray(state)
        room, children = 0, LANES
        while children > room:
            room = children
            # One word holds 64 children; for more, eight words at a time are faster.
            width = self._width(room)
            joints = np.empty((room, len(self.roles)), np.int32)
            states = np.zeros((room, len(state)), np.uint64)
            terminal = np.empty(room, np.bool_)
            children = expand_state(self._packed(width), state, joints, states, terminal, width)
        self._guards.check_faults(states[:children])
        return Expansion(
            joints=joints[:children], states=states[:children], terminal=terminal[:children]
        )

    def continuations(
        self,
        states: States,
        role: RoleId,
        observation: Observation,
        limit: int | None = None,
        among: Sequence[NDArray[np.bool_]] | None = None,
    ) -> Continuations:
        """All steps from the states that are consistent with a role's move and percepts."""
        from fogspiel.machine.compiled.infoset.continuations import collect, packed_observation

        self._guards.check_move(role, observation.move)
        width = self._width(len(states))
        packed = packed_observation(self.network, role, observation, among)
        return collect(self._packed(width), len(self.roles), states, packed, limit, width)

    def layers(
        self,
        first: Layer,
        role: RoleId,
        observations: Sequence[Observation],
        limit: int,
    ) -> LayerRun:
        """The layers that follow one, consistent with the role's observations."""
        moves = [observation.move for observation in observations]
        self._guards.check_move(role, min(moves))
        self._guards.check_move(role, max(moves))
        return self._layer_runs.after(first, role, observations, limit)

    def circuit(self) -> StepCircuit:
        """One step of the game as a circuit of gates."""
        return circuit_of(self.network)

    def ternary(self) -> Ternary:
        """Three-valued reasoning about states that are partly known."""
        from fogspiel.machine.compiled.ternary.propagate import CompiledTernary

        return CompiledTernary(self.network)

    def playouts(
        self, states: States, *, seed: int, count: int, max_steps: int = DEFAULT_MAX_STEPS
    ) -> Playouts:
        """`count` random playouts from each state."""
        from fogspiel.machine.compiled.run.playout import PlayoutRuns
        from fogspiel.machine.compiled.run.score import CUT, STEPS, STUCK

        if count < 1 or max_steps < 1:
            raise ValueError(f"count and max_steps must be at least 1; got {count}, {max_steps}")
        width = self._playout_width(len(states) * count)
        if width not in self._playout_runs:
            values = self._memory(width)[1]
            runs = PlayoutRuns(self._gates, self.network.wiring, values, width)
            self._playout_runs[width] = runs
        states = np.ascontiguousarray(states)
        period = self._period if len(states) == 1 else 1
        goal_sums, counts = self._playout_runs[width].run(states, count, seed, max_steps, period)
        faults = int(goal_sums[:, -1].sum())
        if faults:
            raise PlayError(self._numbers.some_fault(faults))
        return Playouts(
            goal_sums=goal_sums[:, :-1],
            counts=np.full(len(states), count, np.int64),
            steps=int(counts[STEPS]),
            stuck=int(counts[STUCK]),
            cut=int(counts[CUT]),
        )

    @cached_property
    def _layer_runs(self) -> LayerRuns:
        from fogspiel.machine.compiled.infoset.continuations import LayerRuns

        return LayerRuns(self.network, self._width, self._packed)

    @cached_property
    def _period(self) -> int:
        """2 if two roles choose in strict turns in a few playouts; otherwise 1."""
        return turn_period(self)

    def _width(self, states: int) -> Width:
        return ONE_WORD if states <= LANES else EIGHT_WORDS

    def _playout_width(self, playouts: int) -> Width:
        if playouts <= LANES:
            return ONE_WORD
        return SIXTEEN_WORDS if self.network.slots <= SMALL_SLOTS else EIGHT_WORDS

    def _packed(self, width: Width) -> NDArray[np.uint64]:
        """The gates with memory for their values, in the form that kernels take."""
        return self._memory(width)[0]

    def _memory(self, width: Width) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """The packed memory of gates, and the values that it points to."""
        if width not in self._memories:
            (values,) = aligned_words(self.network.slots * len(width))
            memory = GateMemory(self._gates, self.network.wiring, values)
            self._memories[width] = pack_memory(memory), values
        return self._memories[width]

    def _read(
        self, states: States, literals: NDArray[np.uint32], *, with_goals: bool
    ) -> NDArray[np.bool_]:
        width = self._width(len(states))
        out = np.zeros((len(states), len(literals)), np.bool_)
        states = np.ascontiguousarray(states)
        read_states(self._packed(width), states, literals, with_goals, out, width)
        return out

    def _illegal(self, state: State, joint: NDArray[np.int32]) -> PlayError:
        for role in range(len(self.roles)):
            if joint[role] not in self.legal(state, RoleId(role)):
                break
        move = format_term(self.network.moves[role][joint[role]])
        return PlayError.of(
            "MCH001",
            f"the move {move} of {self.roles[role]} is not legal in this state",
            fix="choose one of the moves that legal() gives",
        )
