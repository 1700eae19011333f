"""`fogspiel games`, `fogspiel explain` and `fogspiel demo`: what they list and show."""

from __future__ import annotations

import re

import pytest
from commands import call, document, run

from fogspiel import bundled_games
from fogspiel.core.findings import codes


def test_every_bundled_game_is_listed() -> None:
    output = run("games").output
    assert all(name in output for name in bundled_games())


def test_the_document_of_games_holds_the_whole_index() -> None:
    games = {game["name"]: game for game in document("games")["games"]}
    assert set(games) == set(bundled_games())
    assert games["kuhn_poker"]["payoff"] == {"offset": 50, "scale": 25, "unit": "chips"}
    assert games["tic_tac_toe"]["facts"]["distinct_states"]["value"] == 5478


@pytest.mark.parametrize("code", ["GDL014", "gdl014", "DYN003", "CLI002", "BEN004"])
def test_a_code_is_explained(code: str) -> None:
    entry = codes()[code.upper()]
    output = run("explain", code).output
    assert output.startswith(f"{entry.code}: {entry.title}\n")
    assert entry.meaning in output
    assert f"What to do: {entry.remedy}" in output
    assert document("explain", code)["code"] == entry.code


def test_all_codes_are_listed_without_one() -> None:
    output = run("explain").output
    assert all(code in output for code in codes())
    assert {entry["code"] for entry in document("explain")["codes"]} == set(codes())


def test_an_unknown_code_gets_a_suggestion() -> None:
    result = run("explain", "GDL0014")
    assert result.exit_code == 2
    assert "did you mean GDL014" in result.stderr
    assert run("explain", "???").exit_code == 2


def test_the_demo_shows_the_way_from_rules_to_a_match() -> None:
    done = call("demo", seconds=180)
    assert done.returncode == 0
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    assert "(<= (sees ?p (holds ?p ?c))" in done.stdout
    assert "no findings" in done.stdout
    assert re.search(r"\d ground rules in .* AND gates", done.stdout)
    assert "playouts a second" in done.stdout
    assert "cannot tell whether random did (deal jack), (deal king) or (deal queen)" in done.stdout
    assert re.search(r"goals: first \d+ \([+-]\d chips\), second \d+", done.stdout)


def test_every_command_that_the_demo_proposes_exists() -> None:
    output = run("demo", "monty_hall").output
    proposed = re.findall(r"^ +fogspiel (\w+)", output, flags=re.MULTILINE)
    assert len(proposed) >= 5
    assert all(run(command, "--help").exit_code == 0 for command in proposed)


def test_the_match_of_the_demo_tells_every_side() -> None:
    match = document("demo", "kuhn_poker")["match"]
    assert match["ended"]
    deal = match["steps"][0]
    assert [view["role"] for view in deal] == ["random", "first", "second"]
    # The first player sees its card; the second holds every card possible.
    assert deal[1]["possible"] == {}
    assert len(deal[2]["possible"]["random"]) == 3
