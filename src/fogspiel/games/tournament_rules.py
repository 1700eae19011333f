"""The games of a tournament: read before it begins, loaded in the processes that play."""

from __future__ import annotations

from pathlib import Path

from fogspiel.core.findings import RulesError, errors_in
from fogspiel.games.domains import with_domain
from fogspiel.games.library import bundled_games, resolve
from fogspiel.machine.protocol import Machine
from fogspiel.play.tournament.plan import GameRules
from fogspiel.rules.languages import examine


def read_rules(name: str, folder: Path) -> GameRules:
    """The rules that a plan means by a name; files are meant from its folder.

    Nothing is compiled: a tournament that goes on should begin at once.
    Raises `RulesError` for rules with errors, and what reading a file raises.
    """
    path = folder / name
    place = str(path) if name not in bundled_games() and path.is_file() else name
    sources = with_domain(resolve(place), Path(place))
    findings, rules = examine(sources)
    if rules is None:
        raise RulesError(errors_in(findings) or findings)
    program = rules.program
    return GameRules(
        name=name,
        sources=sources,
        roles=tuple(role for role in program.roles if role != program.chance_role),
        hides=program.has_percepts,
    )


def load_rules(rules: GameRules) -> Machine:
    """The machine that plays them. Kernels are loaded, which takes a second or two."""
    from fogspiel.games.load import load_sources

    return load_sources(rules.sources, entry=bundled_games().get(rules.name)).machine
