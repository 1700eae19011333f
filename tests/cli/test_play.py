"""`fogspiel play`: a person's answers come from standard input here, as they may for a user."""

from __future__ import annotations

import pytest
from click.testing import Result
from commands import run

from fogspiel.cli.commands.play.dialogue import MOST_LISTED, _Completion, meant

MOVES = ["(mark 1 1)", "(mark 1 2)", "(mark 2 1)", "noop", "(give (card king) 3)"]


def played(game: str, *arguments: str, answers: str) -> Result:
    """A match against the player that always takes the first move."""
    fixed = ("--against", "first", "--simulations", "1", "--seed", "1")
    return run("play", game, *fixed, *arguments, text=answers)


def test_a_match_is_played_to_its_end() -> None:
    # o takes the first free cell: (1 1), then (1 2); x fills the middle row by all ways to answer.
    result = played("tic_tac_toe", answers="5\n(mark 2 1)\nmark 2 3\n")
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert lines[0] == "tic_tac_toe: you play x; first plays o (seed 1)"
    assert "The state: (control x)" in lines
    assert "Step 1: you did (mark 2 2) and saw (does x (mark 2 2)), (does o noop)" in lines
    board = lines.index("The board (cell):", lines.index("The state: (control x)"))
    assert lines[board + 1 : board + 5] == ["  3  . . .", "  2  . x .", "  1  o . .", "     1 2 3"]
    assert "The match is over after 5 steps." in lines
    assert [line.split() for line in lines if "(you)" in line] == [["x", "(you)", "100"]]
    # No step is told twice unasked, and the last one is told too.
    assert [sum(line.startswith(f"Step {n}:") for line in lines) for n in range(1, 7)] == [
        1, 1, 1, 1, 1, 0,
    ]  # fmt: skip


def test_only_what_the_role_sees_is_shown_and_goals_come_in_both_units() -> None:
    result = played("kuhn_poker", "--as", "second", answers="2\n")
    assert result.exit_code == 0, result.output
    before, after = result.output.split("second> ")
    assert "(holds second " in before
    assert "(holds first " not in before
    assert "The state" not in before
    assert "payoff, chips" in after
    rows = [
        line.split() for line in after.splitlines() if line.strip().startswith(("first", "sec"))
    ]
    assert [row[0] for row in rows] == ["first", "second"]
    for row in rows:
        assert float(row[-1]) == (int(row[-2]) - 50) / 25


def test_answers_that_are_not_clear_are_asked_again() -> None:
    result = played("tic_tac_toe", answers="?\n??\n\nmark 1\nmark 9\n77\n1\n")
    assert "Answer with the number of a move" in result.output
    assert "That could be (mark 1 1), (mark 1 2), (mark 1 3): write more of it." in result.output
    assert "'mark 9' is no legal move" in result.output
    assert "'77' is no legal move" in result.output
    assert "Step 1: you did (mark 1 1)" in result.output


def test_all_that_was_seen_is_told_again_when_asked() -> None:
    result = played("tic_tac_toe", answers="1\n??\n")
    assert result.output.count("Step 1: you did (mark 1 1)") == 2


def test_leaving_is_polite() -> None:
    result = played("monty_hall", answers="")
    assert result.exit_code == 130
    assert "You left the match. Goodbye." in result.output
    assert result.stderr == ""


def test_an_interruption_is_a_way_to_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_prompt: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupt)
    result = played("monty_hall", answers="1\n")
    assert result.exit_code == 130
    assert "You left the match. Goodbye." in result.output


def test_many_moves_are_listed_when_asked_for() -> None:
    result = played("hex(9)", answers="?\n")
    _, first, whole = result.output.split("Your moves (81):")
    assert f"and {81 - MOST_LISTED} more" in first
    assert "  81  " not in first
    assert "  81  " in whole


def test_nothing_hidden_is_shown_though_boards_tell_what_is_certain() -> None:
    """The opponent's hidden mark is elsewhere, and not a byte is different but for its name."""
    shown = []
    for mark in ("(mark 1 1)", "(mark 3 2)"):
        against = ("--against", f"scripted:{mark}", "--simulations", "1", "--seed", "1")
        result = run("play", "latent_tic_tac_toe", *against, text="5\n")
        assert result.exit_code == 130
        head, rest = result.output.split("\n", 1)
        assert mark in head
        shown.append(rest)
    assert shown[0] == shown[1]
    lines = shown[0].splitlines()
    board = lines.index("  2  ? x ?")
    assert lines[board - 1 : board + 4] == [
        "  3  ? ? ?",
        "  2  ? x ?",
        "  1  ? ? ?",
        "     1 2 3",
        "  ? not known",
    ]
    assert "8 states are possible; in all of them: (control x), (tried x 2 2)" in lines


def test_what_is_certain_is_listed_where_there_is_no_board() -> None:
    before, *_ = played("kuhn_poker", "--as", "second", answers="2\n").output.split("second> ")
    assert "The board" not in before
    assert "2 states are possible; in all of them: " in before
    certain = before[before.index("in all of them") :]
    assert "(holds second " in certain
    assert "(holds first " not in certain


def test_long_states_are_broken_between_terms() -> None:
    output = played("chess", answers="").output
    state = output[output.index("The state:") : output.index("Your moves")].splitlines()
    assert len(state) > 2
    assert max(map(len, state)) <= 100
    assert all(line.count("(") == line.count(")") for line in state)
    assert "\N{NO-BREAK SPACE}" not in output


def test_another_seed_deals_other_cards() -> None:
    cards = set()
    for seed in range(6):
        result = run(
            "play", "kuhn_poker", "--against", "first", "--simulations", "1", "--seed", str(seed),
            text="",
        )  # fmt: skip
        cards.add(result.output.partition("(holds first ")[2].partition(")")[0])
    assert cards == {"jack", "queen", "king"}


def test_without_a_seed_one_is_drawn_and_told() -> None:
    heads = {run("play", "monty_hall", text="").output.splitlines()[0] for _ in range(2)}
    assert len(heads) == 2
    assert all("(seed " in head for head in heads)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--as", "third"], "MAT007"),
        (["--as", "random"], "MAT007"),
        (["--against", "nobody"], "PLY002"),
        (["--against", "human"], "PLY003"),
        (["--seconds", "1", "--simulations", "5"], "MAT004"),
    ],
)
def test_what_cannot_be_played_is_refused(arguments: list[str], code: str) -> None:
    result = run("play", "kuhn_poker", *arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith(code)


def test_the_tab_key_offers_the_moves_that_begin_so() -> None:
    completion = _Completion(["(mark 1 1)", "(mark 2 1)", "noop"])
    assert [completion.complete("mark 2", number) for number in (0, 1)] == ["(mark 2 1)", None]
    assert [completion.complete("(m", number) for number in (0, 1, 2)] == [
        "(mark 1 1)", "(mark 2 1)", None,
    ]  # fmt: skip
    assert completion.complete("n", 0) == "noop"


@pytest.mark.parametrize(
    ("answer", "places"),
    [
        ("(mark 1 2)", [1]),
        ("mark 1 2", [1]),
        ("  ( mark  1 2 ) ", [1]),
        ("2", [1]),
        ("5", [4]),
        ("6", []),
        ("0", []),
        ("n", [3]),
        ("noop", [3]),
        ("(mark 2", [2]),
        ("mark 1", [0, 1]),
        ("mark", [0, 1, 2]),
        ("give", [4]),
        ("give (card king", [4]),
        ("(give (card king) 3)", [4]),
        ("give (card king) 3", [4]),
        ("ark", []),
        ("", []),
        ("()", []),
        (")(", []),
        ("²", []),
    ],
)
def test_an_answer_is_understood(answer: str, places: list[int]) -> None:
    assert meant(answer, MOVES) == places


def test_a_move_that_is_a_number_wins_over_a_place() -> None:
    assert meant("2", ["2", "1"]) == [0]
    assert meant("noop", ["noop_later", "noop"]) == [1]
