"""What there is to choose from by name: players, leaf evaluations, families of games, codes."""

from __future__ import annotations

from collections.abc import Mapping

from fogspiel.core.findings import CodeEntry, codes
from fogspiel.core.registry import Entry


def available_players() -> list[Entry]:
    """All players by name: those of Fogspiel, those of installed packages, and the person.

    Code of installed packages is not run for it.
    Returns: what each player does, where it comes from, which games it fits and what may follow its
    name and a colon; the person at the terminal is the last.

    >>> players = {player.name: player for player in fs.available_players()}
    >>> players["random"].what
    'plays uniformly at random'
    """
    from fogspiel.players.catalogue import ALL_PLAYERS
    from fogspiel.players.names import HUMAN
    from fogspiel.players.own import installed_players

    known = [
        Entry(
            name=player.name,
            what=player.what,
            details=player.details,
            source=player.source,
            fits=player.fits,
            argument=player.argument,
        )
        for player in ALL_PLAYERS.values()
    ]
    installed = [
        Entry(
            name=name,
            what=f"is {found.value} of an installed package",
            source=found.dist.name if found.dist is not None else "",
        )
        for name, found in installed_players().items()
        if name not in ALL_PLAYERS
    ]
    person = Entry(
        name=HUMAN,
        what="lets a person play at the terminal, by `fogspiel play`",
        fits="every game",
    )
    return [*known, *installed, person]


def leaf_evaluations() -> list[Entry]:
    """The leaf evaluations that searching players may be given, as in `uct:mobility`.

    Returns: the name of each and what it values.

    >>> "mobility" in [evaluation.name for evaluation in fs.leaf_evaluations()]
    True
    """
    from fogspiel.search.evaluation.evaluations import EVALUATIONS

    return [Entry(name=own.name, what=own.what) for own in EVALUATIONS.values()]


def belief_methods() -> list[Entry]:
    """The methods that find the histories of an information set.

    Returns: the name of each, what it is and where it comes from.
    """
    from fogspiel.belief.methods import METHODS

    return [Entry(name=own.name, what=own.what, source=own.source) for own in METHODS.values()]


def game_families() -> tuple[str, ...]:
    """The families of games with parameters, of which `fogspiel.load("hex(5)")` loads a member.

    Returns: their names, sorted.

    >>> "hex" in fs.game_families()
    True
    """
    from fogspiel.games.families import family_names

    return family_names()


def family_member(family: str) -> Entry:
    """The name of the members of a family, such as `hex(size)`, and what they are.

    family: one of `game_families`.
    """
    from inspect import getdoc, signature

    from fogspiel.games.families import family_module

    module = family_module(family)
    parameters = ",".join(signature(module.rules).parameters)
    what = (getdoc(module) or "").partition("\n")[0]
    return Entry(name=f"{family}({parameters})", what=what)


def finding_codes() -> Mapping[str, CodeEntry]:
    """Every code that a finding may have, with its meaning, an example and a remedy.

    Returns: the entries by code, in the order of their families.

    >>> fs.finding_codes()["GDL014"].title
    'Unbound variable in a head'
    """
    return codes()
