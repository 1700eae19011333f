"""What the compiled machine says of input that it does not know."""

from __future__ import annotations

from fogspiel.core.findings import PlayError
from fogspiel.core.terms import GroundTerm, format_term


def unknown_name(code: str, what: str, term: GroundTerm) -> PlayError:
    """The rules know no such move or fluent."""
    return PlayError.of(
        code,
        f"the rules know no {what} {format_term(term)}",
        fix="check the spelling against `fogspiel info`",
    )
