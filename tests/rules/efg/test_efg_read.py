"""EFG files are read right: by hand-written games, and by what is written reading back equal."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from code_examples import example_text
from efg_games import COIN, findings_of, game_of, kuhn_efg, random_game
from fogspiel.core.findings import FogspielError, Severity, codes
from fogspiel.core.source import Source
from fogspiel.rules.efg.as_pogddl import as_pogddl
from fogspiel.rules.efg.checks import read_and_check
from fogspiel.rules.efg.read import EfgLimits, is_efg, read_efg
from fogspiel.rules.efg.syntax import CHANCE
from fogspiel.rules.efg.write import write
from fogspiel.rules.languages import examine

HEADER = 'EFG 2 R "Coin" { "Ann" "Ben" }\n'
HEADS = 't "" 1 "heads" { 1 -1 }\n'
TAILS = 't "" 2 "tails" { -1 1 }\n'


def test_kuhn_poker_has_the_known_shape() -> None:
    """One draw among six deals, 24 decisions, 30 ends, 12 infosets (Kuhn 1950)."""
    game = game_of(kuhn_efg())
    movers = [own.player if own else None for own in map(game.infoset_of, range(len(game.nodes)))]
    assert (movers.count(CHANCE), movers.count(None), len(movers)) == (1, 30, 55)
    assert len(game.infosets) == 13
    assert game.infosets[0].probabilities == (Fraction(1, 6),) * 6


def test_descriptions_may_be_left_out_after_the_first_mention() -> None:
    game = game_of(COIN)
    assert [own.actions for own in game.infosets] == [
        ("heads", "tails"), ("bet", "pass"), ("call", "fold"), ("bet", "pass"),
    ]  # fmt: skip
    assert game.outcomes[1].payoffs == (Fraction(3), Fraction(-1))
    assert game.comment == "Written for the tests."


def test_payoffs_add_up_along_the_path() -> None:
    game = game_of(COIN)
    ends = [game.collected[at] for at, node in enumerate(game.nodes) if node.infoset is None]
    assert [int(rose) for rose, _ in ends] == [2, 1, 1, -2, 1, -1]
    assert all(rose == -colin for rose, colin in ends)


def test_numbers_are_exact() -> None:
    game = game_of('EFG 2 R "" { "a" "b" "c" "d" "e" }\nt "" 1 "" { .1 -2.50 1e-3 +4/6 2E2 }')
    expected = [Fraction(1, 10), Fraction(-5, 2), Fraction(1, 1000), Fraction(2, 3), 200]
    assert list(game.outcomes[0].payoffs) == expected


def test_nodes_know_their_parents_and_children() -> None:
    game = game_of(COIN)
    assert game.parents[:5] == (-1, 0, 1, 2, 2)
    assert game.children[0] == (1, 6)
    assert [game.actions_taken[child] for child in game.children[0]] == [0, 1]


def test_line_ends_tabs_and_a_byte_order_mark_do_not_matter() -> None:
    assert game_of("\ufeff" + COIN.replace("\n", "\r\n\t")) == game_of(COIN)


@pytest.mark.parametrize("text", [COIN, "\ufeff EFG 2 R", "\nEFG\n2"])
def test_a_file_is_known_by_its_beginning(text: str) -> None:
    assert is_efg(text)


@pytest.mark.parametrize("text", ["(role white)", "NFG 1 R", "", "EFGH 2 R", "; EFG"])
def test_other_languages_are_not_taken_for_it(text: str) -> None:
    assert not is_efg(text)


@pytest.mark.parametrize("code", [code for code in codes() if code.startswith("EFG")])
def test_an_example_triggers_exactly_its_code(code: str) -> None:
    text = example_text(code)
    try:
        limits = EfgLimits(nodes=0) if code == "EFG007" else EfgLimits()
        game, findings = read_and_check(Source("game.efg", text), limits)
        if code == "EFG022":
            assert game is not None
            assert findings == []
            as_pogddl(game)
    except FogspielError as error:
        findings = list(error.findings)
    assert {finding.code for finding in findings} == {code}


def test_all_faults_are_reported_at_once_with_their_places() -> None:
    text = (
        HEADER
        + 'c "" 1 "" { "a" 1/3 "b" one } 0\n'
        + 'p "" 7 1 "" { "x" "y" } 0\n'
        + 't "" 1 "heads" { 1 }\n'
        + 'q "" 1\n'
        + 't "" 0 "none" { 0 0 }\n'
    )
    found = [
        (f.code, f.source.position(f.span.start)) for f in findings_of(text) if f.source and f.span
    ]
    assert found == [
        ("EFG004", (2, 25)), ("EFG010", (3, 6)), ("EFG014", (4, 16)), ("EFG003", (5, 1)),
        ("EFG014", (6, 6)),
    ]  # fmt: skip


def test_faults_of_information_sets_are_reported_beside_those_of_the_tree() -> None:
    text = (
        HEADER
        + 'c "" 1 "" { "a" 0.3 "b" 0.6 } 0\n'
        + 'p "" 1 1 "" { "x" "x" } 0\n'
        + 't "" 1 "heads" { 1 }\n'
        + 't "" 2 "tails" { -1 one }\n'
        + 'p "" 1 2 "" 0\n'
        + HEADS
        + TAILS
    )
    found = [(f.code, f.source.position(f.span.start).line) for f in findings_of(text)
             if f.source and f.span]  # fmt: skip
    # Payoffs that were wrong at their first mention are no measure for those of line 7.
    assert found == [
        ("EFG015", 2), ("EFG017", 3), ("EFG014", 4), ("EFG004", 5), ("EFG011", 6),
    ]  # fmt: skip


@pytest.mark.parametrize("code", ["EFG020", "EFG022"])
def test_what_keeps_a_tree_from_being_rules_comes_with_all_else_that_was_found(code: str) -> None:
    text = example_text(code)
    renamed = text[: text.rindex('"tails"')] + '"tops"' + text[text.rindex('"tails"') + 7 :]
    findings, rules = examine([Source("game.efg", renamed)])
    assert rules is None
    assert sorted(finding.code for finding in findings) == ["EFG016", code]


def test_a_message_says_what_was_expected_and_found() -> None:
    (finding,) = findings_of(HEADER + 'p "" 1 1 "" { "a" } "b" {')
    assert "the number of an outcome" in finding.message
    assert 'not the text "b"' in finding.message


def test_a_forgetful_player_is_shown_with_both_of_its_histories() -> None:
    (finding,) = findings_of(example_text("EFG020"))
    assert finding.severity is Severity.WARNING
    assert '"b" at 1 here, but "a" at 1 in line 3' in finding.message


def test_a_later_list_of_another_length_does_not_shift_the_tree() -> None:
    text = HEADER + (
        'p "" 1 1 "" { "a" "b" } 0\np "" 2 1 "" { "x" "y" } 0\n' + HEADS + TAILS
        + 'p "" 2 1 "" { "x" "y" "z" } 0\n' + HEADS + TAILS
    )  # fmt: skip
    assert [finding.code for finding in findings_of(text)] == ["EFG012"]


@given(st.integers(0, 10**6), st.lists(st.text(), min_size=1, max_size=6), st.booleans())
def test_what_is_written_reads_back_equal(seed: int, texts: list[str], indent: bool) -> None:
    game = random_game(seed, texts)
    read, findings = read_efg(Source("written.efg", write(game, indent=indent)))
    assert findings == []
    assert read == game


def test_every_node_has_its_line() -> None:
    lines = write(game_of(COIN), indent=True).splitlines()
    assert lines[:3] == [
        'EFG 2 R "A bet on a coin" { "Rose" "Colin" }', '"Written for the tests."', "",
    ]  # fmt: skip
    assert lines[3] == 'c "toss" 1 "" { "heads" 1/2 "tails" 1/2 } 1 "ante" { -1 -1 }'
    assert lines[-1] == '    t "" 5 "Colin keeps it" { 0 2 }'
    assert len(lines) == 3 + len(game_of(COIN).nodes)
