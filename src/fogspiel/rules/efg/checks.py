"""What can be said about a game in extensive form once it is read."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from fogspiel.core.findings import Finding, FindingCollector, Severity, errors_in, in_order
from fogspiel.core.source import Source
from fogspiel.rules.efg.read import DEFAULT_LIMITS, EfgLimits, read_efg
from fogspiel.rules.efg.recall import OwnHistories, forgettings
from fogspiel.rules.efg.syntax import CHANCE, ExtensiveGame, Infoset


def read_and_check(
    source: Source, limits: EfgLimits = DEFAULT_LIMITS
) -> tuple[ExtensiveGame | None, list[Finding]]:
    """The game of a file, None if there are errors, with all findings in their order.

    Raises `LimitError` for a file beyond the limits.
    """
    game, findings = read_efg(source, limits)
    if game is None:
        return None, findings
    findings = in_order([*findings, *check(game)], [source])
    return None if errors_in(findings) else game, findings


def check(game: ExtensiveGame) -> list[Finding]:
    """Every finding about a game whose tree is whole."""
    notes = FindingCollector(game.source)
    for infoset in game.infosets:
        if infoset.player == CHANCE:
            _check_probabilities(game, infoset, notes)
        _check_labels(game, infoset, notes)
    notes.findings.extend(check_recall(game, Severity.WARNING))
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


def _check_probabilities(game: ExtensiveGame, infoset: Infoset, notes: FindingCollector) -> None:
    what = infoset.text(game.players)
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


def _check_labels(game: ExtensiveGame, infoset: Infoset, notes: FindingCollector) -> None:
    (action, count), *_ = Counter(infoset.actions).most_common(1)
    if count > 1:
        message = f'{count} actions of {infoset.text(game.players)} are called "{action}"'
        fix = "give every action of an infoset a name of its own"
        notes.warning("EFG017", infoset.span, message, fix)
