"""A compiled game as a whole: what a machine is made of, and a record of it that can be kept.

Each term stands once in a table, a name or a list of smaller numbers: those of its parts. Fluents,
moves and percepts are numbers in this table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from itertools import islice
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.packing import Record
from fogspiel.core.terms import GroundTerm
from fogspiel.ground.arithmetic.register import Register
from fogspiel.machine.compiled.kernel.wiring import Gates, Wiring


@dataclass(frozen=True, slots=True, kw_only=True)
class GateNetwork:
    """A compiled game: gates, wiring, and the terms behind the numbers."""

    gates: Gates
    wiring: Wiring
    slots: int
    fluents: tuple[GroundTerm, ...]  #: Fluents that can change; fluent f is bit f of a state
    always: tuple[GroundTerm, ...]  #: Fluents that hold in every state
    initial: tuple[bool, ...]
    moves: tuple[tuple[GroundTerm, ...], ...]  #: Moves of each role
    percepts: tuple[tuple[GroundTerm, ...], ...]  #: Percepts of each role
    percept_literals: tuple[NDArray[np.uint32], ...]
    raw_goals: tuple[tuple[tuple[int, int], ...], ...] | None
    """Every (value, literal) of each role's goals in the rules, several of which may hold at once.

    None where gains are summed."""
    seconds: float = field(compare=False)

    @property
    def gate_count(self) -> int:
        """Number of gates in all phases."""
        return (
            self.slots
            - self.wiring.first_move
            - len(self.wiring.legal)
            - len(self.gates.loop_slots)
        )

    @property
    def input_count(self) -> int:
        """Number of inputs of all gates, which measures the cost of an evaluation."""
        return len(self.gates.inputs)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledGame:
    """The gates of a game with its roles and registers. Several machines may share one."""

    network: GateNetwork
    roles: tuple[str, ...]
    chance_role: str | None
    goal_scale: int
    registers: tuple[Register, ...]
    ground_rules: int  #: Number of variable-free rules that the gates were made of
    ground_seconds: float = field(compare=False)

    def record(self) -> Record:
        """Arrays and plain data that `from_record` makes the same game of."""
        network, numbers = self.network, _TermNumbers()
        arrays: dict[str, NDArray[Any]] = {}
        scalars: dict[str, int] = {}
        for kind in ("gates", "wiring"):
            for name, value in getattr(network, kind)._asdict().items():
                if isinstance(value, np.ndarray):
                    arrays[f"{kind}.{name}"] = value
                else:
                    scalars[name] = value
        for kind in ("fluents", "always"):
            arrays[kind] = numbers.of(getattr(network, kind))
        for role in range(len(self.roles)):
            arrays[f"moves.{role}"] = numbers.of(network.moves[role])
            arrays[f"percepts.{role}"] = numbers.of(network.percepts[role])
            arrays[f"percept_literals.{role}"] = network.percept_literals[role]
        arrays["initial"] = np.array(network.initial, np.bool_)
        registers = [
            {own.name: getattr(register, own.name) for own in fields(Register)}
            | {"term": numbers.number(register.term)}
            | {"bits": [numbers.number(bit) for bit in register.bits]}
            for register in self.registers
        ]
        # The last: only now are all terms numbered.
        arrays["term_sizes"] = np.array(numbers.sizes, np.int32)
        arrays["term_parts"] = np.array(numbers.parts, np.int32)
        return Record(
            plain={
                "names": numbers.names,
                "scalars": scalars,
                "slots": network.slots,
                "raw_goals": network.raw_goals,
                "seconds": network.seconds,
                "roles": self.roles,
                "chance_role": self.chance_role,
                "goal_scale": self.goal_scale,
                "registers": registers,
                "ground_rules": self.ground_rules,
                "ground_seconds": self.ground_seconds,
            },
            arrays=arrays,
        )

    @classmethod
    def from_record(cls, record: Record) -> Self:
        """The game of a record. Raises `LookupError`, `TypeError` or `ValueError` for others."""
        plain, arrays = record.plain, record.arrays
        terms = _terms(plain["names"], arrays["term_sizes"], arrays["term_parts"])
        roles = tuple(plain["roles"])

        def listed(name: str) -> tuple[GroundTerm, ...]:
            return tuple([terms[number] for number in arrays[name].tolist()])

        def of_roles(name: str) -> tuple[tuple[GroundTerm, ...], ...]:
            return tuple(listed(f"{name}.{role}") for role in range(len(roles)))

        wires: dict[str, Any] = dict(plain["scalars"])
        wires |= {name: arrays[f"wiring.{name}"] for name in Wiring._fields if name not in wires}
        raw_goals = plain["raw_goals"]
        network = GateNetwork(
            gates=Gates(*(arrays[f"gates.{name}"] for name in Gates._fields)),
            wiring=Wiring(**wires),
            slots=plain["slots"],
            fluents=listed("fluents"),
            always=listed("always"),
            initial=tuple(arrays["initial"].tolist()),
            moves=of_roles("moves"),
            percepts=of_roles("percepts"),
            percept_literals=tuple(
                arrays[f"percept_literals.{role}"] for role in range(len(roles))
            ),
            raw_goals=None
            if raw_goals is None
            else tuple(tuple((value, literal) for value, literal in raw) for raw in raw_goals),
            seconds=plain["seconds"],
        )
        return cls(
            network=network,
            roles=roles,
            chance_role=plain["chance_role"],
            goal_scale=plain["goal_scale"],
            registers=tuple(
                Register(
                    **own
                    | {"term": terms[own["term"]]}
                    | {"bits": tuple(terms[bit] for bit in own["bits"])}
                )
                for own in plain["registers"]
            ),
            ground_rules=plain["ground_rules"],
            ground_seconds=plain["ground_seconds"],
        )


class _TermNumbers:
    """The table of all terms of a game: `sizes` has 0 for a name and else the number of parts."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.sizes: list[int] = []
        self.parts: list[int] = []
        self._numbers: dict[GroundTerm, int] = {}

    def number(self, term: GroundTerm) -> int:
        """The number of a term, which is added if it is new."""
        known = self._numbers.get(term)
        if known is not None:
            return known
        if isinstance(term, str):
            self.names.append(term)
            self.sizes.append(0)
        else:
            parts = [self.number(part) for part in term]
            self.parts += parts
            self.sizes.append(len(parts))
        self._numbers[term] = len(self._numbers)
        return self._numbers[term]

    def of(self, terms: Iterable[GroundTerm]) -> NDArray[np.int32]:
        """(terms,) their numbers."""
        return np.array([self.number(term) for term in terms], np.int32)


def _terms(
    names: Sequence[str], sizes: NDArray[np.int32], parts: NDArray[np.int32]
) -> list[GroundTerm]:
    """All terms of a table."""
    terms: list[GroundTerm] = []
    numbers, named = iter(parts.tolist()), 0
    for size in sizes.tolist():
        if size:
            terms.append(tuple([terms[number] for number in islice(numbers, size)]))
        else:
            terms.append(names[named])
            named += 1
    return terms
