"""Following a match from messages: joint moves and percepts, names in any case, turns that lack."""

from __future__ import annotations

import pytest

from fogspiel.belief.positions import position_after
from fogspiel.core.findings import PlayError
from fogspiel.core.terms import GroundTerm, MoveId, Observation, RoleId
from fogspiel.games.library import resolve
from fogspiel.games.send import load_sent
from fogspiel.play.ggp.messages import Told
from fogspiel.play.ggp.serve.observations import LetterCase, ObservationDecoder, Playable
from fogspiel.play.ggp.term_text import Scrambling

TIC_TAC_TOE = Scrambling(None, resolve("tic_tac_toe").text)
KUHN = Scrambling(None, resolve("kuhn_poker").text)
KUHN_UPPER = Scrambling(None, resolve("kuhn_poker").text, upper=True)
DEALT: list[tuple[GroundTerm, ...]] = [
    (("deal", "king"), "noop", "noop"),
    (("deal", "jack"), "noop", "noop"),
    ("noop", "pass", "noop"),
]
"""The moves of random, first and second."""


def follower(rules: str, role: str) -> tuple[ObservationDecoder, Playable]:
    spelling = LetterCase(rules)
    game = load_sent(spelling.rules, "reference")
    return ObservationDecoder(game, role, spelling), game


def experience(
    game: Playable, joints: list[tuple[GroundTerm, ...]], role: int
) -> list[Observation]:
    """What a role did and saw, by the machine itself."""
    machine = game.machine
    numbers = [
        [machine.move_id(RoleId(r), move) for r, move in enumerate(joint)] for joint in joints
    ]
    return list(position_after(machine, numbers, RoleId(role)).observations)


def test_joint_moves_are_followed_where_nothing_is_hidden() -> None:
    seat, game = follower(TIC_TAC_TOE.rules, "o")
    assert seat.follow(Told(), None) is None
    joints: list[tuple[GroundTerm, ...]] = [
        (("mark", "1", "1"), "noop"),
        ("noop", ("mark", "2", "2")),
    ]
    told = [seat.follow(Told(terms=joint), "noop") for joint in joints]
    assert told == experience(game, joints, 1)
    assert seat.state is not None
    assert ("cell", "2", "2", "o") in game.machine.fluent_terms(seat.state)


def test_the_joint_move_may_be_told_by_percepts() -> None:
    seat, game = follower(TIC_TAC_TOE.rules, "o")
    assert seat.follow(Told(turn=0), None) is None
    percepts: tuple[GroundTerm, ...] = (("does", "o", "noop"), ("does", "x", ("mark", "3", "1")))
    seen = seat.follow(Told(turn=1, move="noop", terms=percepts), "noop")
    assert [seen] == experience(game, [(("mark", "3", "1"), "noop")], 1)


@pytest.mark.parametrize("numbered", [True, False])
def test_percepts_are_followed_in_both_dialects(numbered: bool) -> None:
    seat, game = follower(KUHN.rules, "second")
    assert seat.follow(Told(turn=0) if numbered else Told(), None) is None
    told: list[tuple[GroundTerm, ...] | None] = [
        None,
        (("holds", "second", "jack"),),
        (("move", "first", "pass"),),
    ]
    for turn, (terms, expected) in enumerate(zip(told, experience(game, DEALT, 2), strict=True), 1):
        message = Told(turn=turn, move="noop", terms=terms) if numbered else Told(terms=terms)
        assert seat.follow(message, "noop") == expected
    assert seat.steps == 3


def knows_state(seat: ObservationDecoder) -> bool:
    return seat.state is not None


def test_joint_moves_are_followed_in_a_game_with_percepts_too() -> None:
    spelling = LetterCase(KUHN.rules)
    game = load_sent(spelling.rules, "auto")
    seat = ObservationDecoder(game, "second", spelling)
    assert seat.follow(Told(), None) is None
    assert not knows_state(seat)
    told = [seat.follow(Told(terms=joint), "noop") for joint in DEALT]
    assert told == experience(game, DEALT, 2)
    assert knows_state(seat)
    # Percepts from then on would leave the state unknown, and are taken for what they are.
    seen = seat.follow(Told(terms=(("holds", "first", "king"),)), "pass")
    assert seen is not None
    assert game.machine.percept_term(seat.role, seen.percepts[0]) == ("holds", "first", "king")
    assert not knows_state(seat)


def test_the_move_that_counted_is_followed_and_not_the_one_that_was_answered() -> None:
    seat, game = follower(KUHN.rules, "first")
    for turn in range(2):
        seat.follow(Told(turn=turn, move="noop", terms=()), "noop")
    seat.follow(Told(turn=2, move="noop", terms=()), "noop")
    seen = seat.follow(Told(turn=3, move="bet", terms=()), "pass")
    assert seen is not None
    assert game.machine.move_term(seat.role, seen.move) == "bet"


def test_upper_case_is_understood_and_answered() -> None:
    seat, game = follower(KUHN_UPPER.rules, "FIRST")
    assert game.machine.chance_role == RoleId(0)
    for role in ("First", "first"):
        assert follower(KUHN_UPPER.rules, role)[0].role == seat.role
    for case in (str.upper, str.lower):
        seat, game = follower(KUHN_UPPER.rules, "FIRST")
        percept = (case("holds"), case("first"), case("king"))
        seen = seat.follow(Told(turn=1, move=case("noop"), terms=(percept,)), None)
        assert seen is not None
        assert game.machine.percept_term(seat.role, seen.percepts[0]) == ("HOLDS", "FIRST", "KING")
        assert seat.move_text(seen.move) == "NOOP"


def test_chance_in_upper_case_is_told_as_the_rules_write_it() -> None:
    rules = "(ROLE RANDOM) (ROLE A) (LEGAL A (CALL RANDOM)) (LEGAL RANDOM DRAW)"
    spelling = LetterCase(rules)
    assert "(LEGAL A (CALL random))" in spelling.rules
    assert spelling.heard(("call", "RANDOM")) == ("CALL", "random")
    assert spelling.told(("CALL", "random")) == ("CALL", "RANDOM")


def test_names_that_differ_by_case_alone_are_taken_as_they_are() -> None:
    spelling = LetterCase("(role a) (legal a Go) (legal a go) (legal a (Stop 1))")
    assert spelling.heard("Go") == "Go"
    assert spelling.heard("go") == "go"
    assert spelling.heard("GO") == "GO"
    assert spelling.heard("STOP") == "Stop"


def test_a_turn_told_twice_is_followed_once() -> None:
    seat, _ = follower(KUHN.rules, "second")
    assert seat.follow(Told(turn=1, move="noop", terms=()), "noop") is not None
    assert seat.follow(Told(turn=1, move="noop", terms=()), "noop") is None
    assert seat.steps == 1


@pytest.mark.parametrize(
    ("rules", "told", "why"),
    [
        (KUHN.rules, Told(turn=2, move="noop", terms=()), "turn 2 is told of after 0 steps"),
        (KUHN.rules, Told(turn=1, terms=()), "nothing says which move was made"),
        (KUHN.rules, Told(turn=1, move="raise", terms=()), "second cannot do 'raise'"),
        (TIC_TAC_TOE.rules, Told(terms=("noop",)), "has 2 moves; 1 were told"),
        (TIC_TAC_TOE.rules, Told(terms=("noop", "jump")), "cannot do"),
    ],
)
def test_what_cannot_be_followed_is_refused_with_its_code(rules: str, told: Told, why: str) -> None:
    seat, _ = follower(rules, "second" if rules == KUHN.rules else "o")
    with pytest.raises(PlayError, match=why) as caught:
        seat.follow(told, None)
    assert caught.value.findings[0].code == "GGP005"


def test_a_percept_that_the_rules_never_give_is_refused_by_a_compiled_machine() -> None:
    seat = ObservationDecoder(load_sent(KUHN.rules, "auto"), "second", LetterCase(KUHN.rules))
    with pytest.raises(PlayError, match="second can never see"):
        seat.follow(Told(turn=1, move="noop", terms=("thunder",)), None)


@pytest.mark.parametrize("role", ["third", "random", "RANDOM", ""])
def test_a_role_that_cannot_be_played_is_refused_with_its_code(role: str) -> None:
    with pytest.raises(PlayError) as caught:
        follower(KUHN.rules, role)
    assert caught.value.findings[0].code == "GGP004"


def test_move_numbers_come_back_as_terms() -> None:
    seat, game = follower(TIC_TAC_TOE.rules, "x")
    first = game.machine.legal(game.machine.initial(), RoleId(0))[0]
    assert seat.move_text(MoveId(first)) == game.machine.move_term(RoleId(0), first)
