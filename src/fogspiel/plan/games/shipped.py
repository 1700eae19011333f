"""Methods files that come with Fogspiel, and which of them fits a game.

A file fits a game that has all of its words: fluents, roles, moves and percepts. So it is found
whatever the game is called, and also serves games that are described with the same words.
"""

from __future__ import annotations

from functools import cache
from importlib import resources

from fogspiel.core.findings import Severity
from fogspiel.core.source import Source
from fogspiel.machine.memo import once_per_machine
from fogspiel.machine.protocol import Machine
from fogspiel.plan.games.fluents import all_fluents
from fogspiel.plan.games.relations import game_vocabulary
from fogspiel.plan.language.reading import read_network
from fogspiel.plan.task_network import TaskNetwork

SUFFIX = ".methods"


@cache
def shipped_sources() -> tuple[Source, ...]:
    """The files, by their names."""
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
        if not any(finding.severity is Severity.ERROR for finding in findings):
            return network
    return None
