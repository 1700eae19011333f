"""The problem deals that come with the package, by scheme."""

from __future__ import annotations

from importlib.resources import files

from fogspiel.cases.bridge.pbn.files import read_records
from fogspiel.cases.bridge.record import BoardRecord
from fogspiel.core.findings import UsageError
from fogspiel.core.source import Source

SUFFIX = ".pbn"


def problem_schemes() -> list[str]:
    """The schemes for which there are problems, in the order of the alphabet."""
    folder = files("fogspiel.cases.bridge") / "problems"
    names = (item.name for item in folder.iterdir())
    return sorted(name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX))


def problems_of(scheme: str) -> list[BoardRecord]:
    """The problems of a scheme. Raises `UsageError` BRI035 if there are none."""
    if scheme not in problem_schemes():
        raise UsageError.of(
            "BRI035",
            f"there are no problems of a scheme {scheme!r}",
            fix=f"choose one of {', '.join(problem_schemes())}",
        )
    name = scheme + SUFFIX
    text = (files("fogspiel.cases.bridge") / "problems" / name).read_text(encoding="utf-8")
    return read_records(Source(name, text))
