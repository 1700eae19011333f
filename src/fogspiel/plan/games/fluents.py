"""In which worlds each fluent holds."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fogspiel.core.terms import GroundTerm
from fogspiel.machine.memo import once_per_machine
from fogspiel.machine.protocol import Machine, State, States
from fogspiel.plan.situation import Mask

Holding = Mapping[GroundTerm, Mask]
"""(worlds,) of each term that holds in some world."""
ByName = Mapping[str, Holding]
"""The same by the name that terms start with."""


@once_per_machine
def all_fluents(machine: Machine) -> tuple[GroundTerm, ...] | None:
    """Every fluent of a game; None where the machine meets them as it goes."""
    circuit = machine.circuit()
    if circuit is None:
        return None
    bits = np.zeros(64 * len(machine.initial()), np.uint8)
    bits[: circuit.fluents] = 1
    return machine.fluent_terms(np.packbits(bits, bitorder="little").view(np.uint64))


def fluents_in(machine: Machine, states: States) -> ByName:
    """The fluents that hold in some of the states, in the order of their ids."""
    union: State = np.bitwise_or.reduce(states, axis=0)
    always = machine.fluent_terms(np.zeros_like(union))
    terms = machine.fluent_terms(union)
    places = np.flatnonzero(np.unpackbits(union.view(np.uint8), bitorder="little"))
    if len(terms) == len(places) + len(always) and terms[len(places) :] == always:
        flat = np.ascontiguousarray(states).view(np.uint8)
        bits = np.unpackbits(flat, axis=1, bitorder="little")[:, places].astype(np.bool_)
        holding = {term: bits[:, place] for place, term in enumerate(terms[: len(places)])}
        everywhere = np.ones(len(states), np.bool_)
        return by_name(holding | dict.fromkeys(always, everywhere))
    # Where numbers are kept as digits, a term may stand for several bits, or for their absence.
    slow: dict[GroundTerm, Mask] = {}
    for row, state in enumerate(states):
        for term in machine.fluent_terms(state):
            slow.setdefault(term, np.zeros(len(states), np.bool_))[row] = True
    return by_name(slow)


def by_name(holding: Holding) -> ByName:
    """Sort terms by the name that they start with."""
    found: dict[str, dict[GroundTerm, Mask]] = {}
    for term, mask in holding.items():
        name = term if isinstance(term, str) else term[0]
        assert isinstance(name, str)
        found.setdefault(name, {})[term] = mask
    return found
