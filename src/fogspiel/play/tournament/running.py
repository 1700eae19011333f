"""Preparation of a tournament: a search for its players, and the processes that play matches.

Nothing is imported before it is needed: a tournament that goes on should begin at once.
"""

from __future__ import annotations

import asyncio
from functools import partial

from fogspiel.core.findings import UsageError
from fogspiel.play.tournament.tournament import PlayMatches, WorkerAssignment


def player_of_matches(
    assignment: WorkerAssignment, *, jobs: int = 1, cluster: str | None = None
) -> PlayMatches:
    """The function that plays matches: on so many processes, or on a cluster at an address.

    Raises `UsageError` TOU015 for players behind an address, on a cluster.
    """
    if cluster is None:
        from fogspiel.play.tournament.local_processes import play_on_processes

        return partial(play_on_processes, assignment, jobs=jobs)
    refuse_addresses(assignment)
    from fogspiel.play.tournament.cluster import play_on_cluster

    return partial(play_on_cluster, assignment, address=cluster)


def refuse_addresses(assignment: WorkerAssignment) -> None:
    """Raise `UsageError` TOU015 for players that nodes of a cluster would look for elsewhere."""
    if assignment.plan.urls:
        raise UsageError.of(
            "TOU015",
            f"{', '.join(assignment.plan.urls)} cannot be asked from a cluster: addresses are "
            "meant from this machine",
            fix="leave --cluster out, or those players",
        )


def refuse_players(assignment: WorkerAssignment) -> None:
    """Refuse players that nobody knows or that do not answer, before a journal begins.

    Raises `UsageError` with all players that cannot be made, and what `refuse_absent` does.
    """
    from fogspiel.play.tournament.plan_players import refuse_unmade

    refuse_unmade(assignment)
    refuse_absent(assignment)


def refuse_absent(assignment: WorkerAssignment) -> None:
    """Refuse players that do not answer. To be asked at every start, since they come and go.

    Raises `PlayError` MAN002, or `UsageError` for an address.
    """
    if assignment.plan.urls:
        from fogspiel.play.tournament.match_runner import find_all

        asyncio.run(find_all(assignment))
