"""The checker points at slips: a keyword misspelt, a `sees`, an argument or a parenthesis lost.

Sheets are changed in one place each, by a fixed seed. A slip counts as found if an error or a
warning points at its line. Rules of `sees` that are left out as a whole are counted apart: most
sheets without one are games of their own, in which a role is told less.
"""

from __future__ import annotations

import random
from collections import Counter

from mutations import KINDS, Mutant, mutated, places

from fogspiel.core.findings import Finding, FogspielError, Severity
from fogspiel.core.source import Source
from fogspiel.games.library import bundled_games, game_source
from fogspiel.rules.languages import examine

OF_EACH_KIND = 50
SEED = 1
LEAST_SHARE = 0.95


def findings_of(text: str) -> list[Finding]:
    try:
        return examine([Source("sheet", text)])[0]
    except FogspielError as error:
        return list(error.findings)


def found_lines(text: str) -> list[int]:
    """The lines that errors and warnings point at, in their order; 0 for none."""
    return [
        finding.source.position(finding.span.start).line if finding.source and finding.span else 0
        for finding in findings_of(text)
        if finding.severity is not Severity.NOTE
    ]


def mutants(kind: str) -> list[tuple[str, Mutant]]:
    """The sheets by turns, each changed once more until there are enough."""
    rng = random.Random(f"{SEED} {kind}")
    texts = {name: game_source(name).text for name in bundled_games()}
    open_to_it = [(name, found) for name in texts if (found := places(texts[name], kind))]
    chosen = [open_to_it[number % len(open_to_it)] for number in range(OF_EACH_KIND)]
    return [(name, mutated(texts[name], kind, rng.choice(spans), rng)) for name, spans in chosen]


def test_two_hundred_mutated_sheets_are_faulted_in_the_mutated_line() -> None:
    found: Counter[str] = Counter()
    missed: list[str] = []
    for kind in KINDS:
        for name, mutant in mutants(kind):
            lines = found_lines(mutant.text)
            if mutant.line in lines:
                found[kind] += 1
            else:
                missed.append(f"{kind} of {name}, line {mutant.line}: {lines[:5]}")
    assert found.total() >= LEAST_SHARE * OF_EACH_KIND * len(KINDS), "\n".join(missed)
    assert min(found[kind] for kind in KINDS) >= 0.9 * OF_EACH_KIND, "\n".join(missed)


def test_a_lost_parenthesis_is_reported_before_what_follows_from_it() -> None:
    first = [
        bool(lines) and lines[0] == mutant.line
        for _, mutant in mutants("parenthesis")
        for lines in [found_lines(mutant.text)]
    ]
    assert sum(first) >= 0.9 * len(first)


def test_sheets_as_they_are_bundled_have_no_warnings() -> None:
    assert not [name for name in bundled_games() if found_lines(game_source(name).text)]
