"""Broken and hostile EFG files end in findings, soon, whatever they hold."""

from __future__ import annotations

import time
from random import Random

import pytest

from efg_games import COIN, findings_of, game_of, kuhn_efg
from fogspiel.core.findings import LimitError
from fogspiel.core.source import Source
from fogspiel.rules.efg.as_pogddl import as_pogddl
from fogspiel.rules.efg.checks import read_and_check
from fogspiel.rules.efg.read import EfgLimits, read_efg
from fogspiel.rules.efg.write import write

HEADER = 'EFG 2 R "Coin" { "Ann" "Ben" }\n'
LEAF = 't "" 1 "" { 1 -1 }\n'
SPLINTERS = [
    '"',
    "{",
    "}",
    ",",
    " 0 ",
    " 9 ",
    " c ",
    " p ",
    " t ",
    "\\",
    "1/0",
    " 1e99999 ",
    "\x00",
]


def chain(depth: int) -> str:
    """A path of decisions of one player, each with a way out."""
    nodes = (f'p "" 1 {number} "" {{ "go" "stop" }} 0\n' for number in range(1, depth + 1))
    return HEADER + "".join(nodes) + LEAF + LEAF * depth


def test_no_prefix_of_a_file_is_taken_for_a_whole_one() -> None:
    text = kuhn_efg().rstrip()
    # In the last line, what is left out at the end has been said before.
    for end in range(0, text.rindex("\n"), 7):
        game, findings = read_and_check(Source("cut.efg", text[:end]))
        assert game is None
        assert findings


def test_random_damage_never_breaks_the_reader() -> None:
    rng = Random(1)
    for text in (COIN, kuhn_efg()):
        for _ in range(400):
            damaged = text
            for _ in range(rng.randint(1, 4)):
                at, until = sorted(rng.randrange(len(damaged) + 1) for _ in range(2))
                cut = damaged[min(until, at + rng.randint(0, 12)) :]
                damaged = damaged[:at] + rng.choice([*SPLINTERS, ""]) + cut
            game, findings = read_and_check(Source("damaged.efg", damaged))
            assert (game is None) == any(finding.severity == "error" for finding in findings)
            for finding in findings:
                assert str(finding)
            if game is not None:
                assert game_of(write(game)) == game


def test_a_deep_tree_is_read_written_and_timed_without_recursion() -> None:
    game = game_of(chain(9_000))
    assert game_of(write(game, indent=True)) == game
    as_pogddl(game_of(chain(1_500)))


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        (chain(100), EfgLimits(depth=50)),
        (chain(100), EfgLimits(nodes=100)),
        (chain(100), EfgLimits(bytes=100)),
        ('EFG 2 R "" { ' + '"x" ' * 200 + "}\n", EfgLimits()),
    ],
)
def test_what_is_too_large_is_refused(text: str, limits: EfgLimits) -> None:
    with pytest.raises(LimitError, match="EFG007"):
        read_efg(Source("large.efg", text), limits)


@pytest.mark.parametrize(
    "number",
    [
        "1e999999999",
        "1e-999999999",
        "9" * 5_000,
        "1/0",
        "0x1",
        "\u0661",
        "--1",
        "1/-2",
        "nan",
        "inf",
    ],
)
def test_odd_numbers_are_refused(number: str) -> None:
    assert [f.code for f in findings_of(HEADER + f't "" 1 "" {{ 1 {number} }}')] == ["EFG004"]


@pytest.mark.parametrize("number", ["-1", "9" * 5_000, "1.5", "\u0663", "x"])
def test_odd_infoset_numbers_are_refused(number: str) -> None:
    assert findings_of(HEADER + f'p "" 1 {number} "" {{ "a" }} 0\n{LEAF}')[0].code == "EFG003"


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "EFG", "EFG 2", 'EFG 2 R "x"', 'EFG 2 R "x" {', 'EFG 2 R "x" { "a" }',
        'EFG 2 R "x" { "a" } "comment"', HEADER + "t", HEADER + 't ""', HEADER + 't "" 1',
        HEADER + "c", HEADER + 'c "" 1 "" {', HEADER + 'c "" 1 "" { }', HEADER + "{ { {",
        HEADER + 'p "" 1 1 "" { } 0', HEADER + 't "" 1 "" { 1, , 2 }', HEADER + "}" * 10_000,
        "\x00" * 1_000, HEADER + '"' * 9_999, HEADER + "\\" * 9_999, HEADER + 'p "" ' * 9_999,
    ],
)  # fmt: skip
def test_fragments_are_refused(text: str) -> None:
    game, findings = read_and_check(Source("fragment.efg", text))
    assert game is None
    assert any(finding.severity == "error" for finding in findings)


def test_a_large_broken_file_is_refused_soon_and_briefly() -> None:
    started = time.perf_counter()
    lines = HEADER + 'p "" 9 1 "" { "a" "a" } 0 "x" { oops }\n' * 20_000
    findings = findings_of(lines)
    assert len(findings) <= 600
    assert time.perf_counter() - started < 20
    assert findings_of(HEADER + 'p "" 1 1 "" {' + ' "a"' * 100_000 + " } 0\n")


def test_a_game_without_players_is_a_game() -> None:
    assert game_of('EFG 2 R "" { }\nt "" 0').players == ()
