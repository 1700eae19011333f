"""PBN: read, written and read again; every mistake has a code and a place."""

from __future__ import annotations

import io
import time
from pathlib import Path

import numpy as np
import pytest
from bridge_positions import EAST, FIGURE_3, SOUTH, WEST, card, figure_3, random_position
from hypothesis import given
from hypothesis import strategies as st

from fogspiel.cases.bridge.deals import BoardRecord, OtherTag
from fogspiel.cases.bridge.hand_limits import limits_text, parse_limits
from fogspiel.cases.bridge.pbn.files import (
    find_record,
    load_records,
    read_records,
    record_of,
    write_records,
)
from fogspiel.cases.bridge.pbn.scan import PbnLimits
from fogspiel.cases.bridge.table import Contract
from fogspiel.core.findings import FogspielError, LimitError, RulesError, UsageError
from fogspiel.core.source import Source

COLUMNS = "Declarer;Denomination\\2R;Result\\2R"
BOARD = f"""\
% PBN 2.1
{{ A comment, [Deal "N:"] and

an empty line in it. }}
[Event "A \\"friendly\\" game"] ; and another comment
[Board "7"]
[Dealer "W"]
[Vulnerable "Both"]
[Deal "{FIGURE_3}"]
[Scoring "?"]
[Declarer "S"]
[Contract "4SX"]
[Auction "W"]
Pass Pass 1D =1= 2S!
3C   4S   X  AP
[Note "1:thin"]
[LimitsEast "clubs 4"]
[OptimumResultTable "{COLUMNS}"]
N NT  5
S  S 11
[Play "W"]
D6 D2 D9 DA {{ the ace }}
S8 S2 S7 SA $1
*
[Kept "as it is"]
"""


def read(text: str) -> list[BoardRecord]:
    return read_records(Source("deals.pbn", text))


def findings_of(text: str) -> list[tuple[str, int]]:
    """Codes with their lines; 0 for a finding about the file."""
    with pytest.raises(RulesError) as caught:
        read(text)
    return [
        (
            finding.code,
            finding.source.position(finding.span.start).line
            if finding.source and finding.span
            else 0,
        )
        for finding in caught.value.findings
    ]


def line_of(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


def test_a_board_is_read_with_all_its_parts() -> None:
    (record,) = read(BOARD)
    assert record.hands == figure_3()
    assert record.contract == Contract(4, 0, SOUTH, "X")
    assert record.number == 7
    assert record.dealer == WEST
    assert record.vulnerable == "All"
    assert " ".join(record.calls) == "Pass Pass 1D 2S 3C 4S X Pass Pass Pass"
    assert record.play == tuple(map(card, ["D6", "D2", "D9", "DA", "SA", "S8", "S2", "S7"]))
    assert record.lead == card("D6")
    assert record.table.won == 2
    assert record.tags == (
        OtherTag("Event", 'A "friendly" game'),
        OtherTag("LimitsEast", "clubs 4"),
        OtherTag(
            "OptimumResultTable", "Declarer;Denomination\\2R;Result\\2R", ("N NT 5", "S S 11")
        ),
        OtherTag("Kept", "as it is"),
    )
    assert record.tag("Kept") == "as it is"
    assert record.tag("Missing") is None


def test_limits_come_from_the_auction_and_from_words() -> None:
    (record,) = read(BOARD)
    left, right = record.defenders_limits
    assert limits_text(left) == "points 0-11"
    assert limits_text(right) == "points 11-21, diamonds 3+, clubs 4"
    assert record.limits[EAST] == right


def test_a_board_reads_back_as_it_was_written() -> None:
    records = read(BOARD)
    text = write_records(records)
    assert text.startswith("% PBN 2.1\n% EXPORT\n")
    assert '[Contract "4SX"]' in text
    assert '[Result "?"]' in text
    assert read(text) == records


@given(seed=st.integers(0, 10**6), cards=st.integers(0, 52), boards=st.integers(1, 3))
def test_any_play_reads_back_as_it_was_written(seed: int, cards: int, boards: int) -> None:
    rng = np.random.default_rng(seed)
    records = []
    for number in range(1, boards + 1):
        dealt, _, table = random_position(rng, cards)
        limits = parse_limits("points 3-9"), *(parse_limits("clubs 0-6, hearts 2+"),) * 3
        records.append(
            BoardRecord(
                hands=dealt,
                contract=table.contract,
                play=table.history,
                number=number,
                dealer=int(rng.integers(4)),
                vulnerable="NS",
                limits=limits,
            )
        )
    for before, after in zip(records, read(write_records(records)), strict=True):
        names = ("hands", "contract", "play", "number", "dealer", "vulnerable", "limits")
        assert [getattr(after, name) for name in names] == [getattr(before, name) for name in names]


def test_what_we_write_is_what_endplay_reads() -> None:
    from endplay.parsers import pbn

    dealt, _, table = random_position(np.random.default_rng(6), 52)
    text = write_records([BoardRecord(hands=dealt, contract=table.contract, play=table.history)])
    (board,) = pbn.load(io.StringIO(text))
    assert len(board.play) == 52
    assert board.contract.level == table.contract.level
    assert board.contract.result == table.won - table.contract.needed
    assert board.board_num == 1


def test_the_auction_can_stand_for_the_contract() -> None:
    text = BOARD.replace('[Declarer "S"]\n', "").replace('[Contract "4SX"]\n', "")
    assert read(text)[0].contract == Contract(4, 0, SOUTH, "X")


def test_values_are_inherited_from_the_board_before() -> None:
    second = f'[Event "#"]\n[Board "8"]\n[Deal "{FIGURE_3}"]\n[Declarer "#"]\n[Contract "##"]\n'
    first, inheriting = read(BOARD + "\n" + second)
    assert inheriting.contract == first.contract
    assert inheriting.tag("Event") == first.tag("Event")


def board(*, contract: str = "5S", declarer: str = "S", more: str = "") -> str:
    tags = f'[Deal "{FIGURE_3}"]\n[Contract "{contract}"]\n[Declarer "{declarer}"]\n'
    return tags + more


@pytest.mark.parametrize(
    ("text", "part", "codes"),
    [
        ("Dear all,\n", "Dear", ["BRI015"]),
        (board() + "[Deal N:]\n", "[Deal N:]", ["BRI015"]),
        (board() + "{ not closed\n" + board(), "{", ["BRI015"]),
        (board(more='[Board "1a"]\n'), "[Board", ["BRI015"]),
        (board(more='[Dealer "N"]\n[Auction "N"]\nPass 1Q\n'), "1Q", ["BRI015"]),
        (board(more='[Dealer "N"]\n[Auction "N"]\n1S 1H\n'), "[Auction", ["BRI019"]),
        (board(more='[Play "W"]\nD6 D2 D9 DA S5\n'), "[Play", ["BRI015"]),
        (board(more='[Play "W"]\nD6 - D9 DA\n'), "[Play", ["BRI015"]),
        (board(more='[Play "N"]\nD6\n'), "[Play", ["BRI012"]),
        (board(more='[Play "W"]\nD6 D2 D9 XX\n'), "XX", ["BRI013"]),
        (board(more='[Play "W"]\nDQ\n*\n'), "DQ", ["BRI009"]),
        (board(more='[Play "W"]\nD6 D2 D9 SA\n'), "SA", ["BRI011"]),
        (board(more='[Play "W"]\nD6 D2 D8 DA\n'), "D8", ["BRI012"]),
        (board(more='[Play "W"]\nD6 D2 D9 DA\nS8 S2 D9 SA\n'), "D9 SA", ["BRI010"]),
        (board(more='[LimitsWest "spades 14+"]\n'), "[LimitsWest", ["BRI018"]),
        (board(contract="8S"), "[Contract", ["BRI007"]),
        (board(contract="Pass"), "[Contract", ["BRI007"]),
        (board(declarer="NS"), "[Contract", ["BRI008"]),
        (board(contract="?", declarer=""), "[Contract", ["BRI016", "BRI016"]),
        (board().replace("T98.", "T9."), "[Deal", ["BRI004", "BRI006"]),
        ('[Contract "5S"]\n[Declarer "S"]\n', "[Contract", ["BRI016"]),
        ("", "", ["BRI017"]),
    ],
)
def test_a_mistake_is_told_with_its_line(text: str, part: str, codes: list[str]) -> None:
    found = findings_of(text)
    assert [code for code, _ in found] == codes
    assert found[0][1] == (line_of(text, part) if part else 0)


def test_all_boards_tell_their_mistakes_at_once() -> None:
    text = board(contract="0S") + "\n" + board() + "\n" + board(more='[Play "W"]\nSA\n')
    assert [code for code, _ in findings_of(text)] == ["BRI007", "BRI009"]


def test_a_lead_alone_may_be_written_in_several_ways() -> None:
    for row in ("D6", "D6 - - -", "D6\n*", "D6 *", "D6! $2", "d6 + + +"):
        (record,) = read(board(more=f'[Play "W"]\n{row}\n'))
        assert record.play == (card("D6"),)


@given(st.text(alphabet='[]"{};%\nDealPyNESW:.AK2 #\\', max_size=300))
def test_no_text_breaks_the_reader(text: str) -> None:
    codes = {"BRI003", "BRI015", "BRI016", "BRI017"}
    with pytest.raises(RulesError) as caught:
        read(text)
    assert {finding.code for finding in caught.value.findings} <= codes


@given(st.integers(0, len(BOARD) - 1), st.sampled_from(['"', "[", "]", "{", "\n", "\0", "X", "-"]))
def test_a_board_with_one_wrong_character_is_read_or_refused(place: int, other: str) -> None:
    try:
        records = read(BOARD[:place] + other + BOARD[place + 1 :])
    except RulesError:
        return
    assert all(isinstance(record, BoardRecord) for record in records)


def test_a_file_that_is_too_large_is_not_looked_through() -> None:
    limits = PbnLimits(bytes=100)
    with pytest.raises(LimitError) as caught:
        read_records(Source("deals.pbn", 101 * " "), limits)
    assert caught.value.findings[0].code == "BRI014"
    with pytest.raises(LimitError, match="2 boards"):
        read_records(Source("deals.pbn", 3 * (board() + "\n")), PbnLimits(boards=2))


@pytest.mark.parametrize(
    "part",
    ["{", '"', '\\"', '"\\', "[a ", '[a "', "; ", "%\n", '[A ""]', "\n", "A\n", '[Play "W"]\n'],
)
def test_no_file_takes_long_to_refuse(part: str) -> None:
    text = part * (PbnLimits().bytes // 8 // len(part))
    start = time.process_time()
    with pytest.raises(FogspielError) as caught:
        read(text)
    # A tenth of that here; were it to grow with the square of the size, a hundred times.
    assert time.process_time() - start < 3.0
    assert len(caught.value.findings) <= 20


def test_files_are_read_in_both_encodings(tmp_path: Path) -> None:
    for encoding in ("utf-8", "latin-1", "utf-8-sig"):
        path = tmp_path / f"{encoding}.pbn"
        path.write_text(board(more='[Site "Zürich"]\n').replace("\n", "\r\n"), encoding=encoding)
        (record,) = load_records(path)
        assert record.tag("Site") == "Zürich"


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    for path in (tmp_path / "none.pbn", tmp_path):
        with pytest.raises(UsageError) as caught:
            load_records(path)
        assert caught.value.findings[0].code == "BRI020"


def test_boards_are_found_by_number() -> None:
    numbered = [record_of(FIGURE_3, f"{level}S", "S") for level in (1, 2)]
    assert find_record(numbered[:1], None, "x.pbn") == numbered[0]
    assert find_record(numbered, 2, "x.pbn") == numbered[1]
    records = read(BOARD + "\n" + BOARD.replace('[Board "7"]', '[Board "8"]'))
    assert find_record(records, 8, "x.pbn").number == 8
    for number in (None, 9):
        with pytest.raises(UsageError) as caught:
            find_record(records, number, "x.pbn")
        assert caught.value.findings[0].code == "BRI017"


def test_the_short_form_is_read_and_checked() -> None:
    record = record_of(FIGURE_3, "5S", "South", "D6")
    assert (record.hands, record.play) == (figure_3(), (card("D6"),))
    assert record_of(FIGURE_3, "5S", "S").lead is None
    for lead, code in (("DQ", "BRI009"), ("six", "BRI013")):
        with pytest.raises(FogspielError) as caught:
            record_of(FIGURE_3, "5S", "S", lead)
        assert caught.value.findings[0].code == code
    with pytest.raises(RulesError) as caught:
        record_of("N:", "9S", "?", "six")
    assert [f.code for f in caught.value.findings] == ["BRI003", "BRI008", "BRI007", "BRI013"]
