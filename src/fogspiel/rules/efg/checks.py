"""Checks of a game in extensive form: probabilities, labels, perfect recall, and a clock.

Perfect recall (Kuhn 1953): at all nodes of an information set its player has passed the same
information sets and made the same choices there. Without it rules cannot describe the game, for
there a role knows all it did and saw. An absent-minded player (Piccione & Rubinstein 1997) even
comes to an information set twice.

A clock gives each node its step. Under rules every role counts the steps, so nodes of one
information set must lie at the same step, each after its parent. Such a timing exists just if the
information sets, seen as single points, can be put in an order that respects the tree; waiting
steps then fill the gaps.

Source: Jakobsen, Sørensen & Conitzer (2016), Timeability of extensive-form games: the exact
deterministic timings. Departures: nodes that end the game follow their parents at once, since
nobody acts there.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from fogspiel.core.findings import (
    Finding,
    FindingCollector,
    RulesError,
    Severity,
    errors_in,
    in_order,
)
from fogspiel.core.source import Source
from fogspiel.rules.efg.read import DEFAULT_LIMITS, EfgLimits, read_parts
from fogspiel.rules.efg.syntax import CHANCE, NO_PARENT, ExtensiveGame, Infoset

NO_HISTORY = 0
MAX_SHOWN = 6  #: Choices of a history, or infosets of a cycle, that a message shows
MAX_FOUND = 100


def read_and_check(
    source: Source, limits: EfgLimits = DEFAULT_LIMITS
) -> tuple[ExtensiveGame | None, list[Finding]]:
    """The game of a file, None if there are errors, with all findings in their order.

    Raises `LimitError` for a file beyond the limits.
    """
    reading = read_parts(source, limits)
    found = check_infosets(source, reading.players, reading.infosets)
    if reading.game is not None:
        found += check_recall(reading.game, Severity.WARNING)
    findings = in_order([*reading.findings, *found], [source])
    return None if errors_in(findings) else reading.game, findings


def check(game: ExtensiveGame) -> list[Finding]:
    """Every finding about a game whose tree is whole."""
    found = check_infosets(game.source, game.players, game.infosets)
    return found + check_recall(game, Severity.WARNING)


def check_infosets(
    source: Source, players: Sequence[str], infosets: Sequence[Infoset]
) -> list[Finding]:
    """Every finding about the actions of information sets, be the tree whole or not."""
    notes = FindingCollector(source)
    for infoset in infosets:
        if not infoset.actions or infoset.player > len(players):
            continue  # There is a finding about that.
        if infoset.player == CHANCE:
            _check_probabilities(players, infoset, notes)
        _check_labels(players, infoset, notes)
    return notes.findings


def check_recall(game: ExtensiveGame, severity: Severity) -> list[Finding]:
    """A finding for each infoset at which its player has forgotten something.

    severity: such a game can be read, written and compared, but not turned into rules.
    """
    notes = FindingCollector(game.source)
    report = notes.error if severity is Severity.ERROR else notes.warning
    histories = OwnHistories(game)
    for forgetting in forgettings(game, histories):
        infoset = game.infosets[forgetting.infoset]
        what = infoset.text(game.players)
        span = game.nodes[forgetting.second].span
        if forgetting.is_absent_minded:
            message = f"a path comes to {what} more than once: the player would be absent-minded"
            fix = "give the later node an infoset of its own"
            report("EFG021", span, message, fix)
            continue
        first = histories.text(histories.of_mover(forgetting.first))
        second = histories.text(histories.of_mover(forgetting.second))
        line = game.source.position(game.nodes[forgetting.first].span.start).line
        message = (
            f"the player of {what} must have forgotten what it did: "
            f"{second} here, but {first} in line {line}"
        )
        report("EFG020", span, message, "put nodes after different own choices in infosets apart")
    return notes.findings


def _check_probabilities(players: Sequence[str], infoset: Infoset, notes: FindingCollector) -> None:
    what = infoset.text(players)
    for action, probability in zip(infoset.actions, infoset.probabilities, strict=True):
        if probability < 0:
            message = f'"{action}" of {what} has the negative probability {probability}'
            fix = "give probabilities from 0 to 1"
            notes.error("EFG015", infoset.span, message, fix)
            return
    total = sum(infoset.probabilities, Fraction(0))
    if total != 1:
        shown = f"{total} ({float(total):.6g})" if total.denominator != 1 else str(total)
        message = f"the probabilities of {what} add up to {shown}, not to 1"
        fix = "write them as fractions such as 1/3, so that they add up exactly"
        notes.error("EFG015", infoset.span, message, fix)


def _check_labels(players: Sequence[str], infoset: Infoset, notes: FindingCollector) -> None:
    (action, count), *_ = Counter(infoset.actions).most_common(1)
    if count > 1:
        message = f'{count} actions of {infoset.text(players)} are called "{action}"'
        fix = "give every action of an infoset a name of its own"
        notes.warning("EFG017", infoset.span, message, fix)


@dataclass(frozen=True, slots=True)
class Forgetting:
    """Two nodes of an infoset that its player should tell apart by what it remembers."""

    infoset: int
    first: int
    second: int
    is_absent_minded: bool  #: Whether one of the nodes comes after the infoset itself


class OwnHistories:
    """Own histories: the choices of every player on the way to each node, numbered."""

    def __init__(self, game: ExtensiveGame) -> None:
        self.game = game
        self._steps: list[tuple[int, int, int]] = [(NO_HISTORY, -1, -1)]
        """Each history as the one before it, and the infoset and action that were added."""
        numbers: dict[tuple[int, int, int], int] = {}
        nothing = (NO_HISTORY,) * len(game.players)
        by_node: list[tuple[int, ...]] = []
        for node, parent in enumerate(game.parents):
            if parent == NO_PARENT:
                by_node.append(nothing)
                continue
            before = by_node[parent]
            infoset = game.infoset_of(parent)
            if infoset is None or infoset.player == CHANCE:
                by_node.append(before)
                continue
            own = infoset.player - 1
            step = (before[own], game.nodes[parent].infoset or 0, game.actions_taken[node])
            if step not in numbers:
                numbers[step] = len(self._steps)
                self._steps.append(step)
            by_node.append((*before[:own], numbers[step], *before[own + 1 :]))
        self.by_node = by_node

    def of_mover(self, node: int) -> int:
        """The history of the player who moves at a node."""
        infoset = self.game.infoset_of(node)
        assert infoset is not None
        return self.by_node[node][infoset.player - 1]

    def steps(self, history: int) -> Iterator[tuple[int, int]]:
        """Infosets and actions of a history, the last first."""
        while history != NO_HISTORY:
            history, infoset, action = self._steps[history]
            yield infoset, action

    def text(self, history: int) -> str:
        """A history as messages show it, cut to its end."""
        parts: list[str] = []
        for infoset, action in self.steps(history):
            if len(parts) == MAX_SHOWN:
                parts.append("…")
                break
            own = self.game.infosets[infoset]
            name = f"{own.number} ({own.name})" if own.name else str(own.number)
            parts.append(f'"{own.actions[action]}" at {name}')
        return ", ".join(reversed(parts)) or "nothing"


def forgettings(game: ExtensiveGame, histories: OwnHistories) -> list[Forgetting]:
    """The first pair of nodes that a player forgets to tell apart, of at most 100 infosets."""
    first_node: dict[int, int] = {}
    found: dict[int, Forgetting] = {}
    for node, own in enumerate(game.nodes):
        if len(found) == MAX_FOUND:
            break
        infoset = game.infoset_of(node)
        if own.infoset is None or infoset is None or infoset.player == CHANCE:
            continue
        first = first_node.setdefault(own.infoset, node)
        if own.infoset in found or histories.of_mover(first) == histories.of_mover(node):
            continue
        met = [i for at in (first, node) for i, _ in histories.steps(histories.of_mover(at))]
        found[own.infoset] = Forgetting(own.infoset, first, node, own.infoset in met)
    return list(found.values())


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
    """The point that each node is timed with: its infoset (numbered after the nodes) or itself."""
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
    return _error(game, [game.infosets[point - len(game.nodes)] for point in reversed(cycle)])


def _error(game: ExtensiveGame, cycle: Sequence[Infoset]) -> RulesError:
    names = [infoset.text(game.players) for infoset in cycle[:MAX_SHOWN]]
    names += ["…"] * (len(cycle) > MAX_SHOWN)
    names.append(cycle[0].text(game.players))
    return RulesError.of(
        "EFG022",
        f"no clock fits these infosets, each of which comes before the next: {', '.join(names)}",
        fix="split one of them, so that its player knows in which order it moves",
        source=game.source,
        span=cycle[0].span,
    )
