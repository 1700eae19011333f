"""Records: what is written reads back, replays, and is found out when it was changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fogspiel.core.budget import Budget
from fogspiel.core.findings import LimitError, PlayError, UsageError
from fogspiel.core.terms import MoveId
from fogspiel.games.load import LoadedGame, load
from fogspiel.machine.protocol import player_roles
from fogspiel.play.clocks import MatchClocks
from fogspiel.play.records.documents import CODES, ggp_document
from fogspiel.play.records.format import MatchRecord, Recorder, RecordFolder, heading_for
from fogspiel.play.records.reader import parse_record, read_record
from fogspiel.play.records.replay import check_rules, replay
from fogspiel.play.referee import Answer, Fault, FaultKind, Referee
from fogspiel.play.series import Entrant, play_series
from fogspiel.players.simple import RandomPlayer
from fogspiel.solve.files.strategy_file import rules_digest

GAMES = ["kuhn_poker", "tic_tac_toe", "monty_hall", "smallest", "difference_9", "goofspiel_4"]
"""Hidden and open, with chance and without, one to three roles, in GDL and POGDDL."""


def folder_for(game: LoadedGame, path: Path) -> RecordFolder:
    return RecordFolder(
        folder=path,
        game=game.name,
        rules=rules_digest(game.sources),
        clocks=MatchClocks(simulations=1),
    )


def recorded(game: LoadedGame, path: Path, *, games: int = 2, seed: int = 5) -> list[MatchRecord]:
    folder = folder_for(game, path)
    entrants = [Entrant("random", RandomPlayer) for _ in player_roles(game.machine)]
    play_series(
        game.machine,
        entrants,
        games=games,
        turn_budget=lambda: Budget.of(simulations=1),
        seed=seed,
        records=folder,
    )
    return [read_record(folder.path(number)) for number in range(1, games + 1)]


@pytest.mark.parametrize("name", GAMES)
def test_a_record_replays_bit_for_bit(name: str, tmp_path: Path) -> None:
    game = load(name)
    for record in recorded(game, tmp_path):
        check_rules(record, game.machine, rules_digest(game.sources))
        made = list(replay(record, game.machine))
        assert len(made) == len(record.steps) > 0
        assert game.machine.terminal(made[-1].after)
        assert record.end is not None
        assert game.machine.goals(made[-1].after) == record.end.goals


def with_faults(game: LoadedGame) -> list[str]:
    """The lines of a match of tic-tac-toe whose first role never answers in time."""
    lines: list[str] = []
    machine = game.machine
    referee = Referee(machine, seed=3)
    first, second = player_roles(machine)
    heading = heading_for(
        machine,
        match="m",
        game=game.name,
        rules=rules_digest(game.sources),
        players={first: "late", second: "wrong"},
        seed=3,
        clocks=MatchClocks(start_seconds=2, turn_seconds=1.5),
    )
    recorder = Recorder(machine, heading, lines.append)
    recorder.start({first: 0.1234, second: 0.2}, {first: Fault(FaultKind.CONNECTION_ERROR, "no")})
    while not referee.over:
        illegal = next(
            m for m in range(machine.move_count(second)) if m not in referee.legal(second)
        )
        answers = {
            first: Answer(fault=Fault(FaultKind.TIMEOUT), seconds=1.6),
            second: Answer(move=MoveId(illegal), seconds=0.5),
        }
        recorder.step(referee.play(answers))
    recorder.end(referee.goals())
    return lines


def test_replaced_moves_replay_as_they_were_replaced() -> None:
    game = load("tic_tac_toe")
    record = parse_record("".join(with_faults(game)), "it")
    assert {fault.kind for line in record.steps for fault in line.faults.values()} == {
        FaultKind.TIMEOUT,
        FaultKind.ILLEGAL_MOVE,
    }
    assert record.start is not None
    assert list(record.start.seconds.values()) == [0.123, 0.2]
    assert len(list(replay(record, game.machine))) == len(record.steps)


Change = Callable[[dict[str, Any]], None]


def changed(lines: list[str], number: int, change: Change) -> str:
    document = json.loads(lines[number])
    change(document)
    lines = [*lines[:number], json.dumps(document), *lines[number + 1 :]]
    return "\n".join(line.rstrip("\n") for line in lines)


def kuhn_lines(tmp_path: Path) -> list[str]:
    game = load("kuhn_poker")
    recorded(game, tmp_path, games=1)
    return folder_for(game, tmp_path).path(1).read_text().splitlines()


def set_move(place: int, move: str) -> Change:
    return lambda line: line["moves"].__setitem__(place, move)


def set_percepts(role: str, percepts: list[str]) -> Change:
    return lambda line: line["percepts"].__setitem__(role, percepts)


@pytest.mark.parametrize(
    ("line", "change", "what"),
    [
        (2, set_percepts("second", ["(holds second king)"]), "second sees"),
        (2, set_percepts("first", []), "first sees"),
        (
            4,
            lambda line: line.__setitem__("faults", {"first": {"kind": "timeout", "text": ""}}),
            "first does",
        ),
        (-1, lambda line: line.__setitem__("goals", [0, 1, 99]), "goals"),
    ],
)
def test_a_changed_record_is_found_out(
    line: int, change: Change, what: str, tmp_path: Path
) -> None:
    lines = kuhn_lines(tmp_path)
    record = parse_record(changed(lines, line % len(lines), change), "it")
    with pytest.raises(PlayError, match=f"MAT012.*{what}"):
        list(replay(record, load("kuhn_poker").machine))


def test_other_draws_of_chance_are_found_out(tmp_path: Path) -> None:
    lines = kuhn_lines(tmp_path)
    dealt = json.loads(lines[2])["moves"][0]
    other = "(deal queen)" if dealt != "(deal queen)" else "(deal jack)"
    record = parse_record(changed(lines, 2, set_move(0, other)), "it")
    with pytest.raises(PlayError, match=r"MAT012.*random does"):
        list(replay(record, load("kuhn_poker").machine))


def test_a_record_of_other_rules_is_refused(tmp_path: Path) -> None:
    game, other = load("kuhn_poker"), load("simple_poker")
    record = recorded(game, tmp_path, games=1)[0]
    with pytest.raises(UsageError, match="MAT011"):
        check_rules(record, other.machine, rules_digest(other.sources))


BROKEN: list[tuple[int, Change, str]] = [
    (0, lambda line: line.__setitem__("format", "other"), "format"),
    (0, lambda line: line.pop("roles"), "roles"),
    (0, lambda line: line.__setitem__("roles", ["a", "a"]), "different"),
    (0, lambda line: line.__setitem__("players", {"first": "x"}), "players"),
    (0, lambda line: line.__setitem__("seed", -1), "seed"),
    (0, lambda line: line.__setitem__("seed", True), "seed"),
    (0, lambda line: line.__setitem__("began", "yesterday"), "began"),
    (0, lambda line: line.__setitem__("clocks", {"turn_seconds": "1"}), "turn_seconds"),
    (0, lambda line: line.__setitem__("line", "step"), "first line"),
    (1, lambda line: line.__setitem__("seconds", {"nobody": 1}), "line 2.*seconds"),
    (2, lambda line: line.__setitem__("step", 7), "step 1 should"),
    (2, lambda line: line.__setitem__("moves", ["noop"]), "moves"),
    (2, lambda line: line.__setitem__("percepts", {}), "percepts"),
    (2, lambda line: line.__setitem__("percepts", {"first": [1], "second": []}), "texts"),
    (2, lambda line: line.__setitem__("faults", {"first": {"kind": "odd", "text": ""}}), "faults"),
    (2, lambda line: line.__setitem__("line", "music"), "music"),
    (-1, lambda line: line.__setitem__("goals", None), "goals"),
    (-1, lambda line: line.__setitem__("goals", [0, 0.5, 1]), "goals"),
]


@pytest.mark.parametrize(("line", "change", "what"), BROKEN)
def test_what_is_no_record_is_refused_with_its_line(
    line: int, change: Change, what: str, tmp_path: Path
) -> None:
    lines = kuhn_lines(tmp_path)
    with pytest.raises(UsageError, match=f"MAT008.*{what}"):
        parse_record(changed(lines, line % len(lines), change), "it")


@pytest.mark.parametrize("text", ["", "\n", "{", "[]", "nonsense", '{"line": NaN}', "[" * 5000])
def test_texts_that_are_no_records_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="MAT008"):
        parse_record(text, "it")


def test_another_version_is_named(tmp_path: Path) -> None:
    lines = kuhn_lines(tmp_path)
    with pytest.raises(UsageError, match=r"MAT009.*version 2"):
        parse_record(changed(lines, 0, lambda line: line.__setitem__("version", 2)), "it")


def test_lines_after_the_end_are_refused(tmp_path: Path) -> None:
    lines = kuhn_lines(tmp_path)
    with pytest.raises(UsageError, match="over already"):
        parse_record("\n".join([*lines, lines[-1]]), "it")


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="MAT008"):
        read_record(tmp_path / "none")
    path = tmp_path / "bytes"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="UTF-8"):
        read_record(path)
    with pytest.raises(LimitError, match="MAT010"):
        read_record(path, max_bytes=1)


def test_a_record_that_breaks_off_replays_so_far(tmp_path: Path) -> None:
    lines = kuhn_lines(tmp_path)
    record = parse_record("\n".join(lines[:4]), "it")
    assert record.end is None
    assert len(list(replay(record, load("kuhn_poker").machine))) == 2


def test_records_are_never_written_over(tmp_path: Path) -> None:
    game = load("tic_tac_toe")
    recorded(game, tmp_path)
    with pytest.raises(UsageError, match="MAT013"):
        recorded(game, tmp_path)


def test_a_match_that_fails_says_so_in_its_record(tmp_path: Path) -> None:
    game = load("kuhn_poker")
    folder = folder_for(game, tmp_path)
    players = dict.fromkeys(player_roles(game.machine), "x")
    with (
        pytest.raises(KeyboardInterrupt),
        folder.recorder(game.machine, number=1, players=players, seed=1),
    ):
        raise KeyboardInterrupt
    record = read_record(folder.path(1))
    assert record.end is not None
    assert record.end.aborted == "interrupted"


def test_the_form_of_ggp_base_holds_states_moves_and_errors() -> None:
    game = load("tic_tac_toe")
    record = parse_record("".join(with_faults(game)), "it")
    document = ggp_document(record, game.machine)
    assert set(document) == {
        "matchId", "randomToken", "startTime", "gameMetaURL", "isCompleted", "isAborted", "states",
        "moves", "stateTimes", "errors", "previewClock", "startClock", "playClock",
        "playerNamesFromHost", "scrambled", "goalValues",
    }  # fmt: skip
    steps = len(record.steps)
    counts = [len(document[key]) for key in ("states", "moves", "stateTimes", "errors")]
    assert counts == [steps + 1, steps, steps + 1, steps + 1]
    assert document["states"][0].startswith("( ( ")
    assert document["errors"][0] == ["", ""]
    assert document["errors"][1][0] == "TO"
    assert document["errors"][1][1].startswith("IL ")
    assert (document["startClock"], document["playClock"]) == (2, 2)
    assert document["playerNamesFromHost"] == ["late", "wrong"]


def test_every_kind_of_fault_has_a_code_of_ggp_base() -> None:
    assert set(CODES) == set(FaultKind)


def test_the_referee_draws_the_same_substitutes_again() -> None:
    game = load("tic_tac_toe")
    one, other = (with_faults(game) for _ in range(2))
    moves = [[json.loads(line).get("moves") for line in lines] for lines in (one, other)]
    assert moves[0] == moves[1]


def test_substitutes_are_legal_and_spread() -> None:
    machine = load("tic_tac_toe").machine
    first, second = player_roles(machine)
    found = set()
    for seed in range(60):
        referee = Referee(machine, seed=seed)
        legal = referee.legal(first)
        silent = Answer(fault=Fault(FaultKind.TIMEOUT))
        step = referee.play({first: silent, second: silent})
        assert step.joint[first] in legal
        found.add(step.joint[first])
    # Sixty draws of nine cells leave one out with probability 9 (8/9)^60, below 0.8 %.
    assert len(found) == 9


def test_an_unknown_number_of_a_move_is_illegal() -> None:
    machine = load("tic_tac_toe").machine
    first, second = player_roles(machine)
    referee = Referee(machine, seed=0)
    step = referee.play(
        {first: Answer(move=MoveId(10**6)), second: Answer(fault=Fault(FaultKind.TIMEOUT))}
    )
    assert step.faults[first].kind is FaultKind.ILLEGAL_MOVE
    assert "do not know" in step.faults[first].text


def test_an_answer_is_a_move_or_a_fault() -> None:
    with pytest.raises(ValueError, match="a move or a fault"):
        Answer(move=MoveId(1), fault=Fault(FaultKind.TIMEOUT))
    assert len(Fault(FaultKind.PARSING_ERROR, "x" * 10_000).text) == 200
