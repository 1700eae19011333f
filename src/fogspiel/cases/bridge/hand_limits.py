"""Limits of a hand's points and lengths, also in words: `points 12-21, spades 5+`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fogspiel.cases.bridge.cards import HAND_SIZE, SUIT_NAMES
from fogspiel.core.findings import Finding, RulesError

MAX_POINTS = 37  #: High-card points of the best hand: four aces, four kings, four queens and a jack
TOPICS = ("points", *SUIT_NAMES)
LIMIT = re.compile(rf"({'|'.join(TOPICS)}) +(\d\d?)(?:(\+)|-(\d\d?))?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class HandLimits:
    """Inclusive bounds on the thirteen cards that a player was dealt."""

    points: tuple[int, int] = (0, MAX_POINTS)
    lengths: tuple[tuple[int, int], ...] = ((0, HAND_SIZE),) * 4
    """Bounds for spades, hearts, diamonds, clubs."""


NO_LIMITS = HandLimits()


def parse_limits(text: str) -> HandLimits:
    """The limits that words such as `points 12-21, spades 5+, hearts 0-2, clubs 4` state.

    Raises `RulesError` BRI018 for what is no limit, or cannot be.
    """
    bounds = {"points": NO_LIMITS.points} | dict(zip(SUIT_NAMES, NO_LIMITS.lengths, strict=True))
    findings = []
    for part in text.split(","):
        match = LIMIT.fullmatch(part.strip())
        if match is None:
            findings.append(_no_limit(part.strip(), "it is not of the form `spades 5+`"))
            continue
        topic, low, or_more, high = match.groups()
        most = MAX_POINTS if topic.lower() == "points" else HAND_SIZE
        found = (int(low), most if or_more else int(high or low))
        if not found[0] <= found[1] <= most:
            findings.append(_no_limit(part.strip(), f"no hand has that; {most} is the most"))
        bounds[topic.lower()] = found
    if findings:
        raise RulesError(findings)
    if sum(bounds[suit][0] for suit in SUIT_NAMES) > HAND_SIZE:
        raise RulesError(_no_limit(text, "the suits are longer together than a hand"))
    if sum(bounds[suit][1] for suit in SUIT_NAMES) < HAND_SIZE:
        raise RulesError(_no_limit(text, "the suits are shorter together than a hand"))
    return HandLimits(bounds["points"], tuple(bounds[suit] for suit in SUIT_NAMES))


def limits_text(limits: HandLimits) -> str:
    """Limits in words; empty where there are none."""
    pairs = zip(TOPICS, (limits.points, *limits.lengths), strict=True)
    unsaid = (NO_LIMITS.points, *NO_LIMITS.lengths)
    parts = []
    for (topic, (low, high)), (_, most) in zip(pairs, unsaid, strict=True):
        if (low, high) == (0, most):
            continue
        span = f"{low}" if low == high else f"{low}+" if high == most else f"{low}-{high}"
        parts.append(f"{topic} {span}")
    return ", ".join(parts)


def narrowed(limits: HandLimits, more: HandLimits) -> HandLimits | None:
    """The limits that satisfy both; None if no hand can."""
    pairs = [
        (max(a[0], b[0]), min(a[1], b[1]))
        for a, b in zip((limits.points, *limits.lengths), (more.points, *more.lengths), strict=True)
    ]
    if any(low > high for low, high in pairs):
        return None
    return HandLimits(pairs[0], tuple(pairs[1:]))


def overridden(limits: HandLimits, words: HandLimits) -> HandLimits:
    """Limits from calls, except where words say something: a person knows better than a table."""
    points = limits.points if words.points == NO_LIMITS.points else words.points
    lengths = tuple(
        ours if said == NO_LIMITS.lengths[0] else said
        for ours, said in zip(limits.lengths, words.lengths, strict=True)
    )
    return HandLimits(points, lengths)


def _no_limit(text: str, why: str) -> Finding:
    shown = text if len(text) <= 60 else text[:57] + "…"
    return Finding(
        "BRI018",
        f"`{shown}` is no limit of a hand: {why}",
        fix="write such as `points 12-21, spades 5+, hearts 0-2, clubs 4`",
    )
