"""Every code in use is explained, and every example of rules triggers its own code and no other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import fogspiel
from code_examples import FRAME, POGDDL_FRAME, example_text
from fogspiel.core.findings import FogspielError, codes
from fogspiel.core.limits import ReadLimits
from fogspiel.core.source import Source
from fogspiel.rules.gdl.check.checks import check
from fogspiel.rules.gdl.read import read_description, source_from_bytes
from fogspiel.rules.pogddl import world
from fogspiel.rules.pogddl.check.checks import read_and_check

LITERAL = re.compile(
    r"""["']((?:GDL|POG|EFG|GRD|TRE|MCH|GAM|OWN|CLI|DYN|BEN|TRN|BEL|SOL|SEA|PLN|BRI|PLY|MAT|GGP|NET|MAN|TOU|LAB|API)\d{3})["']"""
)
SOURCE = Path(fogspiel.__file__).parent

# Examples of limits stay short because the limits are lowered for them.
LOW_LIMITS = {
    "GDL003": ReadLimits(depth=5),
    "GDL008": ReadLimits(clauses_per_rule=3),
    "GDL012": ReadLimits(bytes=50),
    "GDL013": ReadLimits(tokens=20),
}
# Equations can only be written as negations of `distinct`, of which there is a warning.
ALSO = {"GDL048": {"GDL028"}}


def codes_found(text: str, limits: ReadLimits) -> set[str]:
    try:
        source = source_from_bytes("example.gdl", text.encode(), limits)
        description, findings = read_description(source, limits=limits)
    except FogspielError as error:
        return {finding.code for finding in error.findings}
    return {finding.code for finding in [*findings, *check(description, limits)]}


def test_the_catalogue_has_every_code_of_the_source_and_no_other() -> None:
    used = {
        code for path in SOURCE.rglob("*.py") for code in LITERAL.findall(path.read_text("utf-8"))
    }
    assert len(used) > 40
    assert used == set(codes())


def test_the_frame_of_the_examples_has_no_findings() -> None:
    assert codes_found(FRAME, ReadLimits()) == set()


@pytest.mark.parametrize("code", [code for code in codes() if code.startswith("GDL")])
def test_an_example_triggers_exactly_its_code(code: str) -> None:
    limits = LOW_LIMITS.get(code, ReadLimits())
    assert codes_found(example_text(code), limits) == {code} | ALSO.get(code, set())


def pogddl_codes_found(text: str) -> set[str]:
    return {finding.code for finding in read_and_check([Source("example.pogddl", text)])[1]}


def test_the_frame_of_the_pogddl_examples_has_no_findings() -> None:
    assert pogddl_codes_found(POGDDL_FRAME) == set()


@pytest.mark.parametrize("code", [code for code in codes() if code.startswith("POG")])
def test_a_pogddl_example_triggers_exactly_its_code(
    code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if code == "POG014":
        monkeypatch.setattr(world, "MAX_TYPES", 5)
    assert pogddl_codes_found(example_text(code)) == {code}


@pytest.mark.parametrize("code", codes())
def test_an_entry_is_complete(code: str) -> None:
    entry = codes()[code]
    assert entry.title
    assert not entry.title.endswith(".")
    assert entry.meaning.endswith(".")
    assert entry.remedy.endswith((".", "`"))
    assert entry.example
