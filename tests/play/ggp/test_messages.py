"""Messages of the protocol: forms that managers send, odd spacing and case, and what is none."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fogspiel.core.limits import ReadLimits
from fogspiel.core.terms import GroundTerm
from fogspiel.play.ggp.messages import (
    Abort,
    Info,
    InfoReply,
    Message,
    Play,
    Preview,
    ProtocolDialect,
    Start,
    Stop,
    Told,
    nothing_told,
    read_info_reply,
    read_message,
    told_of_step,
    write_info_reply,
    write_message,
)
from fogspiel.play.ggp.term_text import MOVE_LIMITS, MessageError, Scrambling, read_move, write_term

MARKS = (("mark", "1", "1"), "noop")

FORMS: list[tuple[str, Message]] = [
    (
        "( START m.1 x ((role x) (role o)) 30 10 )",
        Start(match="m.1", role="x", rules="(role x) (role o)", start_seconds=30, play_seconds=10),
    ),
    (
        "(start M X\n\t((ROLE X)\r\n(ROLE O))30 10)\r\n",
        Start(match="M", role="X", rules="(ROLE X)\r\n(ROLE O)", start_seconds=30, play_seconds=10),
    ),
    (
        "(START m x ((role x)) 30 10 (later additions))",
        Start(match="m", role="x", rules="(role x)", start_seconds=30, play_seconds=10),
    ),
    ("( PLAY m NIL )", Play(match="m", told=Told())),
    ("(play m nil)", Play(match="m", told=Told())),
    ("( PLAY m ( ( mark 1 1 ) noop ) )", Play(match="m", told=Told(terms=MARKS))),
    ("(PLAY m ((MARK 1 1)(NOOP)))", Play(match="m", told=Told(terms=(("MARK", "1", "1"), "NOOP")))),
    ("(PLAY m ())", Play(match="m", told=Told(terms=()))),
    ("(PLAY m 0 NIL NIL)", Play(match="m", told=Told(turn=0))),
    ("(PLAY m 1 noop ())", Play(match="m", told=Told(turn=1, move="noop", terms=()))),
    (
        "(PLAY m 2 (mark 1 1) ((holds first jack) seen))",
        Play(
            match="m", told=Told(turn=2, move=MARKS[0], terms=(("holds", "first", "jack"), "seen"))
        ),
    ),
    # As ggp-base and the GameController of Dresden put them together.
    ("( PLAY m ((mark 1 1) noop ) )", Play(match="m", told=Told(terms=MARKS))),
    (
        "(PLAY m 1 NOOP ((HOLDS FIRST KING) ))",
        Play(match="m", told=Told(turn=1, move="NOOP", terms=(("HOLDS", "FIRST", "KING"),))),
    ),
    ("(PLAY m 4 NOOP ())", Play(match="m", told=Told(turn=4, move="NOOP", terms=()))),
    ("( STOP m (a b) )", Stop(match="m", told=Told(terms=("a", "b")))),
    ("(STOP m 3 a (p))", Stop(match="m", told=Told(turn=3, move="a", terms=("p",)))),
    ("(STOP m)", Stop(match="m", told=Told())),
    ("( ABORT m )", Abort("m")),
    ("( INFO )", Info()),
    ("info", Info()),
    ("ping", Info()),
    ("(PING)", Info()),
    ("( PREVIEW ((role x)) 60 )", Preview(rules="(role x)", seconds=60)),
    # Seen in the wild: one parenthesis too many at the end.
    ("(ABORT m))", Abort("m")),
]

NO_MESSAGES = [
    "",
    "()",
    "(",
    ")",
    "noop",
    "(PLAY)",
    "(PLAY m)",
    "(PLAY m 1 noop)",
    "(PLAY m x noop NIL)",
    "(PLAY m 1234567890 noop NIL)",
    "(PLAY (m) NIL)",
    "(PLAY m noop)",
    "(PLAY m ((a ?x)))",
    "(PLAY m ((() a)))",
    "(START m x ((role x)) 30)",
    "(START m x rules 30 10)",
    "(START m x ((role x)) soon 10)",
    "(START m x ((role x)) -1 10)",
    "(START m x ((role x)) nan 10)",
    "(START m x ((role x)) inf 10)",
    "(START m x ((role x) 30 10)",
    "(ABORT)",
    f"(ABORT {'m' * 1_001})",
    "(INFO) (INFO)",
    "(INFO please)",
    "((INFO))",
]


@pytest.mark.parametrize(("text", "message"), FORMS)
def test_a_form_that_managers_send_is_read(text: str, message: Message) -> None:
    assert read_message(text) == message


@pytest.mark.parametrize("message", [message for _, message in FORMS])
def test_what_is_written_reads_back(message: Message) -> None:
    assert read_message(write_message(message)) == message


@pytest.mark.parametrize("text", NO_MESSAGES)
def test_what_is_no_message_is_refused_with_its_code(text: str) -> None:
    with pytest.raises(MessageError) as caught:
        read_message(text)
    assert [finding.code for finding in caught.value.findings] == ["GGP001"]


@settings(max_examples=300)
@given(
    st.text()
    | st.lists(
        st.sampled_from([*"()|;?\\ \n", "PLAY", "START", "STOP", "NIL", "INFO", "m", "9", "0.5"])
    ).map(" ".join)
    | st.integers(1, 400).map(lambda depth: "(PLAY m " + "(f " * depth + "a" + ")" * (depth + 1))
)
def test_any_text_is_a_message_or_refused(text: str) -> None:
    message = None
    with contextlib.suppress(MessageError):
        message = read_message(text)
    if message is not None:
        assert read_message(write_message(message)) == message


def test_a_message_beyond_the_limits_is_refused() -> None:
    deep = "(PLAY m (" + "(f " * 50 + "a" + ")" * 50 + "))"
    assert isinstance(read_message(deep), Play)
    for limits in (ReadLimits(depth=40), ReadLimits(bytes=100), ReadLimits(tokens=60)):
        with pytest.raises(MessageError):
            read_message(deep, limits)


def test_written_messages_have_the_bytes_of_the_protocol() -> None:
    start = Start(match="m", role="x", rules="(role x)", start_seconds=30, play_seconds=2.5)
    assert write_message(start) == "(START m x ((role x)) 30 2.5)"
    told = told_of_step(ProtocolDialect.GDL1, turn=1, joint=MARKS, own=MARKS[0], percepts=("seen",))
    assert write_message(Play(match="m", told=told)) == "(PLAY m ((mark 1 1) noop))"
    told = told_of_step(ProtocolDialect.GDL2, turn=1, joint=MARKS, own=MARKS[0], percepts=("seen",))
    assert write_message(Play(match="m", told=told)) == "(PLAY m 1 (mark 1 1) (seen))"
    told = told_of_step(
        ProtocolDialect.GDL2_OLD, turn=1, joint=MARKS, own=MARKS[0], percepts=("seen",)
    )
    assert write_message(Stop(match="m", told=told)) == "(STOP m (seen))"
    assert (
        write_message(Play(match="m", told=nothing_told(ProtocolDialect.GDL2)))
        == "(PLAY m 0 NIL NIL)"
    )
    assert write_message(Play(match="m", told=nothing_told(ProtocolDialect.GDL1))) == "(PLAY m NIL)"


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("noop", "noop"),
        (" ( MARK 1\t1 )\n", ("MARK", "1", "1")),
        ("(noop)", "noop"),
        ("((mark 1 1))", MARKS[0]),
    ],
)
def test_a_move_is_read(text: str, move: GroundTerm) -> None:
    assert read_move(text) == move


@pytest.mark.parametrize("text", ["", "(", "a b", "(mark 1", "?x", "(f ?x)", "()", "a" * 70_000])
def test_what_is_no_move_is_refused_with_its_code(text: str) -> None:
    with pytest.raises(MessageError) as caught:
        read_move(text)
    assert caught.value.findings[0].code == "GGP002"
    assert len(str(caught.value)) < 300


names = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1) | st.just(
    "a b"
)
terms = st.recursive(
    names, lambda inner: st.tuples(names, inner) | st.tuples(names, inner, inner), max_leaves=8
)


@given(terms)
def test_a_term_reads_back_whatever_its_names_are(term: GroundTerm) -> None:
    assert read_move(write_term(term)) == term


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        (
            "( ( name Fogspiel ) ( status available ) )",
            InfoReply(name="Fogspiel", status="available"),
        ),
        ("((STATUS BUSY)(NAME x))", InfoReply(name="x", status="busy")),
        ("((name My Player) (status available))", InfoReply(name="My Player", status="available")),
        ("busy", InfoReply(name=None, status="busy")),
        ("Available", InfoReply(name=None, status="available")),
    ],
)
def test_an_answer_to_info_is_read(text: str, reply: InfoReply) -> None:
    assert read_info_reply(text, MOVE_LIMITS) == reply


def test_an_answer_to_info_has_the_form_of_the_protocol() -> None:
    reply = InfoReply(name="Fogspiel", status="available")
    assert write_info_reply(reply) == "( ( name Fogspiel ) ( status available ) )"
    assert read_info_reply(write_info_reply(reply), MOVE_LIMITS) == reply
    with pytest.raises(MessageError):
        read_info_reply("(hello)", MOVE_LIMITS)


def test_rules_to_be_sent_lose_comments_and_space() -> None:
    text = "; a game\n(role  x) ; first\n\n(<= (legal x |a ;b|)\n    (true s))\n"
    assert Scrambling(None, text).rules == "(role x) (<= (legal x |a ;b|) (true s))"
