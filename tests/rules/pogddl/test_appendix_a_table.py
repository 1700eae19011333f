"""The table of forms in the documentation names every test of the grammar, and every word of it."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
TABLE = HERE.parents[2] / "docs" / "pogddl.md"
ROW = re.compile(r"^\| (?P<construct>[^|]+) \| [^|]+ \| `(?P<test>test_\w+)` \|$", re.MULTILINE)
TESTED = ("test_appendix_a.py", "test_appendix_a_effects.py")

WORDS = (
    "define domain problem :requirements :types :constants :objects :init :predicates :functions",
    "number :action :parameters :precondition :effect :durative-action :derived :gain either",
    "and or not imply exists forall > < = <= >= + - * / when observe all others _",
    "assign increase decrease scale-up scale-down :terminal :choose :condition :select",
)
"""Every word that the grammar spells out, with ours."""


def test_every_test_has_a_row_and_every_row_its_test() -> None:
    rows = [match["test"] for match in ROW.finditer(TABLE.read_text(encoding="utf-8"))]
    assert len(rows) >= 45
    tests = [
        test
        for name in TESTED
        for test in re.findall(r"^def (test_\w+)", (HERE / name).read_text("utf-8"), re.MULTILINE)
    ]
    assert sorted(rows) == sorted(tests)


def test_every_word_of_the_grammar_has_a_row() -> None:
    text = TABLE.read_text(encoding="utf-8")
    constructs = " ".join(match["construct"] for match in ROW.finditer(text))
    words = set(re.findall(r"[\w:<>=+*/-]+", constructs))
    assert set(" ".join(WORDS).split()) - words == set()
