"""Players of one's own in processes: whatever one does is its own fault, and all else goes on."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from bad_players import BAD_PLAYERS
from plans import assignment_of, plan_of

from fogspiel.core.findings import UsageError
from fogspiel.core.processes import children
from fogspiel.games.load import load_rules, read_rules
from fogspiel.play.clocks import PlayerLimits
from fogspiel.play.isolated.isolated_agent import MOST_DEATHS
from fogspiel.play.records.format import MatchRecord
from fogspiel.play.records.reader import parse_record
from fogspiel.play.records.replay import replay
from fogspiel.play.referee import Fault
from fogspiel.play.tournament.formats import schedule_of
from fogspiel.play.tournament.match_runner import MatchRunner
from fogspiel.play.tournament.plan_players import refuse_unmade
from fogspiel.play.tournament.schedule import PlayedMatch, ScheduledMatch
from fogspiel.play.tournament.tournament import Tournament

PATIENT = PlayerLimits(memory_bytes=200 << 20)
HASTY = replace(PATIENT, move_seconds=0.5)  #: Limits for players that never come back
NAMES = (
    "Good", "Lucky", "Raises", "Sleeps", "Stubborn", "Babbles", "Prints", "Asks", "Forks", "Eats",
    "Exits", "Dies", "Crashes", "Hangs", "Scribbles", "Forges", "Once", "Thinks",
)  # fmt: skip


class Hall:
    """A place where matches of a player of `bad.py` and of `first` are played."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "bad.py").write_text(BAD_PLAYERS)
        players = "".join(f'[[players]]\nname = "{n}"\nplayer = "bad.py:{n}"\n' for n in NAMES)
        text = (
            'games = ["kuhn_poker", "tic_tac_toe"]\nkeep_records = true\n[clock]\nsimulations = 1\n'
            f'{players}[[players]]\nplayer = "first"\n'
        )
        plan = replace(plan_of(text), limits=PATIENT)
        games = {name: read_rules(name, folder) for name in plan.games}
        schedule = schedule_of(plan, list(games.values()))
        self.whole = Tournament(plan=plan, games=games, schedule=schedule, folder=folder)
        self.assignment = replace(assignment_of(self.whole), folder=folder)
        self.runner = MatchRunner(self.assignment)

    def play(self, *names: str, game: str = "kuhn_poker", seed: int = 3) -> PlayedMatch:
        """The match of two players, who sit in this order."""
        played = self.runner.play(ScheduledMatch(0, game, names, seed))
        assert played.result.failed is None
        assert len(played.result.goals) == 2
        return played

    def faults(self, name: str) -> list[tuple[int, Fault]]:
        """The faults of a player in a match, with their steps; the other one makes none."""
        played = self.play(name, "first")
        assert played.result.faults[1] == {}
        record = record_of(played)
        steps = [(step.number, step.faults["first"]) for step in record.steps if step.faults]
        assert record.start is not None
        return [(0, fault) for fault in record.start.faults.values()] + steps


def record_of(played: PlayedMatch) -> MatchRecord:
    assert played.record is not None
    return parse_record(zlib.decompress(played.record).decode(), "record")


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    before = Path.cwd()
    folder = tmp_path_factory.mktemp("hall")
    os.chdir(folder)
    yield Hall(folder)
    os.chdir(before)


@pytest.fixture
def hasty(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> Hall:
    monkeypatch.setattr(hall.runner._made._server, "limits", HASTY)
    return hall


def test_a_player_that_behaves_plays_as_it_does_in_this_process(hall: Hall) -> None:
    assert hall.faults("Good") == []
    own, ours = hall.play("Good", "first"), hall.play("first", "first")
    assert own.result.goals == ours.result.goals


@pytest.mark.parametrize(
    ("name", "kind", "said", "line"),
    [
        ("Raises", "error", "ZeroDivisionError: integer division", "return legal[1 // 0]"),
        ("Babbles", "illegal_move", "it answered 'nonsense'", None),
        ("Asks", "error", "EOFError: EOF when reading a line", 'return input("which move? ")'),
        ("Eats", "error", "MemoryError", "self.food.append(bytearray(1 << 24))"),
        ("Exits", "error", "SystemExit: bye", 'sys.exit("bye")'),
        ("Dies", "error", "its process ended with code 3", None),
        ("Crashes", "error", "its process was killed by signal 11", None),
        ("Scribbles", "parsing_error", "its process answered b'not a document'", None),
        ("Forges", "parsing_error", "its process answered no term: []", None),
    ],
)
def test_a_fault_is_recorded_with_its_line_and_the_match_goes_on(
    hall: Hall, name: str, kind: str, said: str, line: str | None
) -> None:
    # Two steps deal the cards; the first player has a choice in the third, and may have another.
    (step, fault), *others = hall.faults(name)
    assert (step, fault.kind) == (3, kind)
    assert {other.kind for _, other in others} <= {kind}
    assert said in fault.text
    assert_line(fault, line)


@pytest.mark.parametrize(
    ("name", "said", "line"),
    [
        ("Sleeps", "no answer within 0.5 s", "time.sleep(60)"),
        ("Stubborn", "no answer within 0.5 s; its process was ended", None),
    ],
)
def test_a_player_that_does_not_come_back_is_late(
    hasty: Hall, name: str, said: str, line: str | None
) -> None:
    (_, fault), *_ = hasty.faults(name)
    assert (fault.kind, fault.text) == ("timeout", said)
    assert_line(fault, line)


def assert_line(fault: Fault, line: str | None) -> None:
    """The trace of a fault ends at a line of the player; a process that died tells none."""
    if line is None:
        assert fault.trace == ()
    else:
        assert fault.trace[-1].startswith("bad.py:")
        assert fault.trace[-1].endswith(f" in choose: {line}")


def test_a_player_that_hangs_before_play_makes_no_move_of_its_own(hasty: Hall) -> None:
    faults = hasty.faults("Hangs")
    assert [(step, fault.kind) for step, fault in faults] == [
        (step, "timeout") for step in range(len(faults))
    ]
    assert faults[0][1].trace[-1].startswith("bad.py:")
    assert " in start: " in faults[0][1].trace[-1]


@pytest.mark.parametrize("name", ["Prints", "Forks"])
def test_what_is_no_fault_is_none(hall: Hall, name: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert hall.faults(name) == []
    assert capfd.readouterr() == ("", "")


def test_nothing_that_a_player_started_outlives_its_match(hall: Hall) -> None:
    hall.play("Forks", "Forks")
    servers = [own for own in children() if "fork_server" in command_of(own)]
    assert servers
    for server in servers:
        assert Path(f"/proc/{server}/task/{server}/children").read_text() == ""


def command_of(process: int) -> str:
    return Path(f"/proc/{process}/cmdline").read_bytes().decode()


def test_a_player_whose_process_died_goes_on_in_another_that_knows_what_it_saw(
    hall: Hall,
) -> None:
    played = hall.play("Once", "first", game="tic_tac_toe")
    assert played.result.faults == ({"error": 1}, {})
    seen = (hall.folder / "seen").read_text()
    first, second, *_ = record_of(played).steps
    assert first.faults["x"].text == "its process ended with code 4"
    assert seen.startswith(first.moves[0])
    assert second.moves[1] in seen


def test_a_player_that_dies_again_and_again_is_out_of_the_match(hall: Hall) -> None:
    played = hall.play("Dies", "first", game="tic_tac_toe")
    deaths = [step.faults["x"].text for step in record_of(played).steps if step.faults]
    assert len(deaths) > MOST_DEATHS
    assert set(deaths) == {"its process ended with code 3"}
    seconds = [step.seconds["x"] for step in record_of(played).steps if step.faults]
    assert max(seconds[MOST_DEATHS:]) <= min(seconds[:MOST_DEATHS])


def test_players_cannot_reach_the_referee_or_the_seed_of_chance(hall: Hall) -> None:
    (hall.folder / "told").unlink(missing_ok=True)
    hall.play("Thinks", "Good", seed=5)
    referees, seed = (hall.folder / "told").read_text().split()[:2]
    assert referees == "0"
    assert int(seed) > 1 << 33


def test_the_same_match_is_played_the_same_way_again(hall: Hall) -> None:
    records = [hall.play("Lucky", "Lucky", seed=seed) for seed in (1, 2, 3, 4, 1, 2, 3, 4)]
    moves = [[step.moves for step in record_of(played).steps] for played in records]
    assert moves[:4] == moves[4:]
    assert len({str(own) for own in moves}) > 1


def test_records_with_faults_are_read_and_replayed(hall: Hall) -> None:
    played = hall.play("Raises", "Crashes")
    machine = load_rules(hall.whole.games["kuhn_poker"])
    record = record_of(played)
    made = list(replay(record, machine))
    assert len(made) == played.result.steps
    assert any(step.line.faults for step in made)


def test_players_that_cannot_be_made_are_refused_without_running_them_here(hall: Hall) -> None:
    (hall.folder / "broken.py").write_text("import os\nos._exit(5)\n")
    players = [
        replace(hall.whole.plan.players[0], name=name, player=name)
        for name in ("bad.py:Goood", "broken.py:Any", "bad.py:Good", "random", "human")
    ]
    plan = replace(hall.whole.plan, players=tuple(players))
    with pytest.raises(UsageError) as caught:
        refuse_unmade(replace(hall.assignment, plan=plan))
    codes = [finding.code for finding in caught.value.findings]
    assert codes == ["OWN002", "PLY036", "PLY003"]
    assert "did you mean Good?" in str(caught.value)
    assert "its process ended with code 5" in str(caught.value)
