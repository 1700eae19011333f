"""Lists with a short line for each entry, what is said of one entry, and tables that fit."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from commands import document, run, written

from fogspiel import available_players, bundled_games, game_families, leaf_evaluations, solvers
from fogspiel.cli import output

NARROW = 80
COLOURS = re.compile(r"\x1b\[[?0-9;]*[a-zA-Z]")


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands believe that they write to a terminal of 80 columns with colours."""
    monkeypatch.setattr(output, "on_terminal", lambda stderr=False: True)
    monkeypatch.setenv("COLUMNS", str(NARROW))
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)


def lines_of(*arguments: str) -> list[str]:
    """What a command prints, without colours."""
    return [COLOURS.sub("", line).rstrip() for line in run(*arguments).output.splitlines()]


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["games"], list(bundled_games())),
        (["players"], [own.name for own in [*available_players(), *leaf_evaluations()]]),
        (["solve", "--methods"], ["auto", *solvers()]),
        (["explain"], ["GDL014", "CLI001"]),
    ],
)
def test_a_list_has_one_line_for_each_entry_and_fits_80_columns(
    arguments: list[str], names: list[str]
) -> None:
    lines = lines_of(*arguments)
    assert max(map(len, lines)) <= NARROW
    for name in names:
        listed = [line for line in lines if re.match(rf"{re.escape(name)}  +\S", line)]
        assert len(listed) == 1, name


def test_a_player_is_described() -> None:
    said = run("players", "norns").output
    assert "belief state tree" in said
    assert "Other roles are assumed to play uniformly at random." in said
    assert "source: Geisser" in said
    assert "after norns: a leaf evaluation" in said
    assert json.loads(run("players", "norns", "--json").output)["name"] == "norns"


def test_a_player_may_be_asked_for_with_its_argument() -> None:
    assert run("players", "uct:mobility").output == run("players", "uct").output


def test_a_game_is_described_with_its_facts() -> None:
    said = run("games", "kuhn_poker").output
    assert "Three cards, two players" in said
    assert "value for the first player: -1/18 (Kuhn 1950" in said
    assert "payoff: (goal - 50) / 25, in chips" in said
    assert document("games", "kuhn_poker")["facts"]["value_first_player"]["value"] == [-1, 18]


@pytest.mark.parametrize("family", game_families())
def test_a_family_is_described(family: str) -> None:
    said = run("games", family).output
    if family in bundled_games():
        assert re.search(rf"\nThere is also a family of this name: {family}\([a-z,]+\).\n$", said)
    else:
        assert re.match(rf"{family}\([a-z,]+\): a family of games\n[A-Z]", said)


@pytest.mark.parametrize(
    ("arguments", "code", "meant"),
    [
        (["players", "ismtcs"], "PLY002", "ismcts"),
        (["games", "kuhn_pokr"], "GAM001", "kuhn_poker"),
        (["solve", "--methods", "--method", "cfr++"], "SOL030", "cfr+"),
    ],
)
def test_an_unknown_name_gets_a_suggestion(arguments: list[str], code: str, meant: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"{code} error: ")
    assert "did you mean" in result.stderr
    assert meant in result.stderr


def test_a_method_is_described() -> None:
    said = run("solve", "--methods", "--method", "dcfr").output
    assert said.startswith("dcfr: discounted CFR")
    assert "Source: Brown and Sandholm (2019)" in said


def test_show_prints_rules_with_their_comments_and_what_is_known(tmp_path: Path) -> None:
    said = run("show", "kuhn_poker").output
    sheet = Path(output.__file__).parents[1] / "games" / "rules" / "kuhn_poker.gdl"
    assert said.startswith(sheet.read_text(encoding="utf-8"))
    assert "; value for the first player: -1/18 (Kuhn 1950" in said
    assert max(map(len, said.removeprefix(sheet.read_text(encoding="utf-8")).splitlines())) <= 80
    # What is known stands in comments: the output is a rule file.
    copy = written(tmp_path, said)
    assert run("check", copy).output == f"{copy}: no findings\n"
    shown = document("show", "kuhn_poker")
    assert (shown["language"], shown["game"]["title"]) == ("gdl", "Kuhn poker")
    assert "(role random)" in shown["texts"][0]["text"]


def test_show_prints_a_file_and_a_member_of_a_family_as_they_are(tmp_path: Path) -> None:
    path = written(tmp_path, "; mine\n(role x)\n")
    assert run("show", path).output == "; mine\n(role x)\n"
    assert "Hex on 5x5 cells" in run("show", "hex(5)").output


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize(
    "arguments",
    [
        ["games", "kuhn_poker"],
        ["players", "sm-lp"],
        ["explain", "GDL001"],
        ["info", "simultaneous_breakthrough"],
        ["infoset", "leduc_poker", "--role", "first", "--random-steps", "3"],
        ["solve", "kuhn_poker", "--method", "lp"],
        ["match", "kuhn_poker", "random", "random", "--games", "4", "--swap"],
    ],
)
def test_lines_fit_a_terminal_of_80_columns_with_colours(arguments: list[str]) -> None:
    assert max(map(len, lines_of(*arguments))) <= NARROW


@pytest.mark.usefixtures("terminal")
def test_names_in_tables_stay_whole_however_narrow_the_terminal_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    names = ["simultaneous_breakthrough", "number_guessing_16"]
    output.print_table("Games", ("name", ">games played"), [[name, "1,000"] for name in names])
    words = COLOURS.sub("", capsys.readouterr().out).split()
    assert set(names) <= set(words)
    assert {"games", "played", "1,000"} <= set(words)


def test_wide_columns_give_way_first_and_no_word_is_broken() -> None:
    columns = [["name", "a_long_name"], ["words", "many short words in a row here"]]
    assert output.column_widths(columns, 100) == [11, 30]
    assert output.column_widths(columns, 30) == [11, 17]
    # The longest word of the second column has five letters.
    assert output.column_widths(columns, 5) == [11, 5]


@pytest.mark.usefixtures("terminal")
def test_errors_are_broken_between_words(monkeypatch: pytest.MonkeyPatch) -> None:
    result = run("match", "kuhn_poker", "random", "random", "--start-seconds", "1")
    assert result.exit_code == 2
    assert max(map(len, result.stderr.splitlines())) <= NARROW
    assert "--start-seconds" in result.stderr.split()


@pytest.mark.usefixtures("terminal")
def test_a_person_reads_lines_of_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = run("play", "battleship_4", "--simulations", "1", text="?\n1\n??\n").output.splitlines()
    assert len(lines) > 20
    assert max(len(COLOURS.sub("", line)) for line in lines) <= NARROW
