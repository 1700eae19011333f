"""Methods files that come with Fogspiel, and the words of a game by which one is found to fit.

A file fits a game that has all of its words: fluents, roles, moves and percepts. So it is found
whatever the game is called, and also serves games that are described with the same words.
"""

from __future__ import annotations

from functools import cache
from importlib import resources

import numpy as np

from fogspiel.core.findings import errors_in
from fogspiel.core.source import Source
from fogspiel.core.terms import GroundTerm, MoveId, PerceptId
from fogspiel.machine.memo import once_per_machine
from fogspiel.machine.protocol import Machine, player_roles
from fogspiel.plan.games.relations import SHAPES
from fogspiel.plan.language.method_terms import OPERATOR, GameVocabulary, names_of
from fogspiel.plan.language.reading import read_network
from fogspiel.plan.task_network import TaskNetwork

SUFFIX = ".methods"


@cache
def shipped_sources() -> tuple[Source, ...]:
    """The methods files, in the order of their names."""
    folder = resources.files("fogspiel.plan.games") / "methods"
    files = sorted((entry for entry in folder.iterdir()), key=lambda entry: entry.name)
    return tuple(
        Source(entry.name, entry.read_text("utf-8"))
        for entry in files
        if entry.name.endswith(SUFFIX)
    )


@once_per_machine
def shipped_network(machine: Machine) -> TaskNetwork | None:
    """The network of the first file that fits a game; None if none does.

    A machine that does not know its words beforehand cannot be fitted.
    """
    if all_fluents(machine) is None:
        return None
    vocabulary = game_vocabulary(machine)
    for source in shipped_sources():
        network, findings = read_network(source, vocabulary=vocabulary)
        if not errors_in(findings):
            return network
    return None


def game_vocabulary(machine: Machine) -> GameVocabulary:
    """The words that a methods file may use in a game, whichever role it is for."""
    roles = player_roles(machine)
    kinds = {"role": names_of([machine.roles[role] for role in roles])}
    fluents = all_fluents(machine)
    if fluents is not None:
        # A machine that knows all of its fluents knows all of its moves and percepts.
        kinds["fluent"] = names_of(fluents)
        kinds[OPERATOR] = names_of(
            machine.move_term(role, MoveId(move))
            for role in roles
            for move in range(machine.move_count(role))
        )
        kinds["percept"] = names_of(
            machine.percept_term(role, PerceptId(percept))
            for role in roles
            for percept in range(machine.percept_count(role))
        )
    return GameVocabulary(relations=SHAPES, kinds=kinds)


@once_per_machine
def all_fluents(machine: Machine) -> tuple[GroundTerm, ...] | None:
    """Every fluent of a game; None where the machine meets them as it goes."""
    circuit = machine.circuit()
    if circuit is None:
        return None
    bits = np.zeros(64 * len(machine.initial()), np.uint8)
    bits[: circuit.fluents] = 1
    return machine.fluent_terms(np.packbits(bits, bitorder="little").view(np.uint64))
