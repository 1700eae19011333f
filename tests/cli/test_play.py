"""`fogspiel play`: a person's answers come from standard input here, as they may for a user."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import Result
from commands import run, written

import fogspiel
from fogspiel.cli.commands.play.dialogue import MOST_LISTED, _Completion, meant

THREE = """\
(role a) (role b) (role c) (init start)
(<= (legal ?r left) (role ?r)) (<= (legal ?r right) (role ?r))
(<= (next over) (true start))
(<= terminal (true over)) (<= (goal ?r 50) (role ?r))
"""
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


def test_people_at_one_keyboard_see_only_what_their_roles_see() -> None:
    people = ("--as", "first", "--as", "second", "--seed", "1")
    answers = "\npass\n\nbet\n\nbet\n"
    result = run("play", "kuhn_poker", *people, text=answers)
    assert result.exit_code == 0, result.output
    assert result.output.splitlines()[0] == (
        "kuhn_poker: people at the keyboard play first, second (seed 1)"
    )
    turns = result.output.split("-" * 40)
    # Before and after each of three choices the screen is hidden.
    assert len(turns) == 7
    for turn in turns[1:6]:
        asked = [role for role in ("first", "second") if f"{role}, it is your turn" in turn]
        seen = [role for role in ("first", "second") if f"(holds {role} " in turn]
        assert asked == seen
    assert "second, it is your turn; the others look away" in turns[3]
    assert [line.split()[:3] for line in turns[6].splitlines() if "(a person)" in line] == [
        ["first", "(a", "person)"],
        ["second", "(a", "person)"],
    ]


def test_arrow_keys_do_not_bring_back_what_another_person_answered() -> None:
    readline = pytest.importorskip("readline")
    readline.add_history("(mark 1 1)")
    run("play", "kuhn_poker", "--as", "first", "--as", "second", "--seed", "1", text="\npass\n")
    assert readline.get_current_history_length() == 0


def test_everything_is_revealed_when_a_hidden_match_is_over() -> None:
    before, after = played("kuhn_poker", "--as", "second", answers="2\n").output.split("second> ")
    assert "What happened:" not in before
    truth = after[after.index("What happened:") :]
    assert "Step 1: random (deal " in truth
    assert "Step 2: random (deal " in truth
    assert "(holds first " in truth
    # In a game without secrets there is nothing to reveal.
    assert "What happened" not in played("tic_tac_toe", answers="5\n4\n6\n").output


def test_steps_without_a_choice_are_folded() -> None:
    lines = played("kuhn_poker", "--as", "second", answers="2\n").output.splitlines()
    assert "Step 1: nothing to choose and nothing seen" in lines
    assert not [line for line in lines if "you did noop" in line]
    assert [line for line in lines if line.startswith("Step 2: you saw (holds second ")]


def test_different_players_may_play_the_other_roles(tmp_path: Path) -> None:
    three = written(tmp_path, THREE, "three.gdl")
    words = ("play", three, "--as", "b", "--against", "a=first", "--against", "random")
    head = run(*words, "--simulations", "1", "--seed", "4", text="").output.splitlines()[0]
    assert head == f"{three}: you play b; first plays a; random plays c (seed 4)"
    assert run(*words, "--against", "b=first", text="").exit_code == 2
    assert run("play", three, "--against", "c=nobody", text="").stderr.startswith("PLY002")


def test_matches_are_recorded_one_after_the_other(tmp_path: Path) -> None:
    folder = tmp_path / "records"
    result = played("monty_hall", "--record", str(folder), answers="1\n1\ny\n2\n1\nn\n")
    assert result.exit_code == 0, result.output
    assert result.output.count("monty_hall: you play ") == 2
    names = [path.name for path in sorted(folder.iterdir())]
    assert names == ["monty_hall-0001.jsonl", "monty_hall-0002.jsonl"]
    matches = [fogspiel.Match.open(path) for path in sorted(folder.iterdir())]
    assert [match.seed for match in matches] == [1, 2]
    assert all(match.over for match in matches)


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
    assert "'mark 9' is not a legal move" in result.output
    assert "'77' is not a legal move" in result.output
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
