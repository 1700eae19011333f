"""A clock for a game in extensive form: at which step each node is reached.

Under rules every role counts the steps, so nodes of one infoset must lie at the same step, each
after its parent. Such a timing exists just if the infosets, seen as single points, can be put in an
order that respects the tree; waiting steps then fill the gaps.

Source: Jakobsen, Sørensen & Conitzer (2016), Timeability of extensive-form games: the exact
deterministic timings. Departures: nodes that end the game follow their parents at once, since
nobody acts there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from fogspiel.core.findings import FindingCollector, RulesError
from fogspiel.rules.efg.syntax import CHANCE, NO_PARENT, ExtensiveGame

MAX_SHOWN = 6


def steps_of(game: ExtensiveGame) -> list[int]:
    """The step at which each node is reached, as early as can be.

    Raises `RulesError` EFG022 if infosets cross, so that no clock fits.
    """
    points = _points(game)
    after: dict[int, set[int]] = defaultdict(set)
    before: dict[int, int] = dict.fromkeys(points, 0)
    for node, parent in enumerate(game.parents):
        if parent != NO_PARENT and points[node] not in after[points[parent]]:
            after[points[parent]].add(points[node])
            before[points[node]] += 1
    steps = dict.fromkeys(points, 0)
    ready = [point for point in before if before[point] == 0]
    timed = 0
    while ready:
        point = ready.pop()
        timed += 1
        for later in after[point]:
            steps[later] = max(steps[later], steps[point] + 1)
            before[later] -= 1
            if before[later] == 0:
                ready.append(later)
    if timed < len(before):
        raise _crossing(game, after, {point for point, open_ in before.items() if open_})
    return [steps[point] for point in points]


def _points(game: ExtensiveGame) -> list[int]:
    """What each node is timed with: its infoset (numbered after the nodes), or itself alone."""
    points: list[int] = []
    for index, node in enumerate(game.nodes):
        infoset = game.infoset_of(index)
        is_shared = infoset is not None and infoset.player != CHANCE
        points.append(len(game.nodes) + (node.infoset or 0) if is_shared else index)
    return points


def _crossing(game: ExtensiveGame, after: Mapping[int, set[int]], untimed: set[int]) -> RulesError:
    """The error about a cycle among points of which each waits for another one."""
    ahead: dict[int, int] = {}
    for point in sorted(untimed):
        for later in sorted(after.get(point, ())):
            if later in untimed:
                ahead.setdefault(later, point)
    path = [min(untimed)]
    while path[-1] not in path[:-1]:
        path.append(ahead[path[-1]])
    cycle = [point for point in path[path.index(path[-1]) + 1 :] if point >= len(game.nodes)]
    return _error(game, [point - len(game.nodes) for point in reversed(cycle)])


def _error(game: ExtensiveGame, cycle: Sequence[int]) -> RulesError:
    names = [game.infosets[infoset].text(game.players) for infoset in cycle[:MAX_SHOWN]]
    if len(cycle) > MAX_SHOWN:
        names.append("…")
    names.append(game.infosets[cycle[0]].text(game.players))
    notes = FindingCollector(game.source)
    notes.error(
        "EFG022",
        game.infosets[cycle[0]].span,
        f"no clock fits these infosets, each of which comes before the next: {', '.join(names)}",
        "split one of them, so that its player knows in which order it moves",
    )
    return RulesError(notes.findings)
