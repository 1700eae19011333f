"""The audit of play: small faulty games with counterexamples, by state space and by playouts."""

from __future__ import annotations

import pytest

from fogspiel.core.findings import Severity
from fogspiel.core.source import Source
from fogspiel.games.load import load, load_source
from fogspiel.machine.audit.audit import audit_play
from fogspiel.machine.audit.claims import Audit, ClaimVerdict
from fogspiel.machine.audit.sampled_play import MAX_STEPS
from fogspiel.machine.protocol import Engine

SOUND = """
(role white) (role black)
(init (step 1))
(<= (legal ?r go) (role ?r)) (<= (legal ?r stay) (role ?r))
(<= (next (step 2)) (true (step 1)))
(<= (next (moved ?r)) (does ?r go))
(<= terminal (true (step 2)))
(<= (goal ?r 100) (true (moved ?r)))
(<= (goal ?r 0) (role ?r) (not (true (moved ?r))))
"""
ENDLESS = SOUND.replace("(<= terminal (true (step 2)))", "(<= terminal (true (moved white)))")
# If both stay, the game is not over, and nobody can move.
STUCK = (
    SOUND.replace("(<= (legal ?r go) (role ?r))", "(<= (legal ?r go) (role ?r) (true (step 1)))")
    .replace("(<= (legal ?r stay) (role ?r))", "(<= (legal ?r stay) (role ?r) (true (step 1)))")
    .replace("(<= terminal (true (step 2)))", "(<= terminal (true (moved ?r)))")
)
NEVER_OVER = SOUND.replace("(<= terminal (true (step 2)))", "(<= terminal (true (step 9)))")
TWO_GOALS = SOUND + "(<= (goal white 50) (true (moved black)))"
NO_GOAL = SOUND.replace(
    "(<= (goal ?r 0) (role ?r) (not (true (moved ?r))))",
    "(<= (goal white 0) (not (true (moved white))))",
)
LOST = SOUND.replace("(goal ?r 100)", "(goal ?r 90)")

# Black sees nothing at all; chance moves first, and something depends on it.
HIDDEN = """
(role random) (role black)
(init (step 1))
(<= (next (step 2)) (true (step 1))) (<= (next (step 3)) (true (step 2)))
(<= (legal random heads) (true (step 1))) (<= (legal random tails) (true (step 1)))
(<= (legal random noop) (not (true (step 1))))
(legal black wait)
(<= (next heads) (does random heads)) (<= (next heads) (true heads))
(<= (sees random nothing) (true (step 9)))
(<= terminal (true (step 3)))
(goal black 100)
"""
UNKNOWN_MOVES = HIDDEN + "(<= (legal black bet) (true heads))"
UNKNOWN_END = HIDDEN + "(<= terminal (true heads))"
UNKNOWN_RESULT = HIDDEN.replace(
    "(goal black 100)",
    "(<= (goal black 100) (true heads)) (<= (goal black 0) (not (true heads)))",
)
TOLD = UNKNOWN_RESULT + "(<= (sees black heads) (true (step 1)) (does random heads))"

FAULTY = [
    (STUCK, "DYN002", 1),
    (TWO_GOALS, "DYN003", 1),
    (NO_GOAL, "DYN003", 1),
    (UNKNOWN_MOVES, "DYN005", 1),
    (UNKNOWN_END, "DYN006", 1),
    (UNKNOWN_RESULT, "DYN007", 2),
]


def audited(text: str, *, max_states: int = 1_000, engine: Engine = "compiled") -> Audit:
    game = load_source(Source("small.gdl", text), engine=engine)
    return audit_play(game.machine, game.program, playouts=50, seed=1, max_states=max_states)


def violated(audit: Audit) -> set[str]:
    return {claim.code for claim in audit.claims if claim.verdict is ClaimVerdict.VIOLATED}


def test_a_sound_game_is_proved_sound() -> None:
    audit = audited(SOUND)
    assert {claim.verdict for claim in audit.claims} == {ClaimVerdict.PROVED}
    assert audit.findings == []
    # The start, and one state for each of the four joint moves.
    assert audit.states == 5


def test_playouts_can_show_no_more_than_that_nothing_was_violated() -> None:
    audit = audited(HIDDEN, max_states=1)
    assert audit.states is None
    by_code = {claim.code: claim.verdict for claim in audit.claims}
    # One game won is proof enough that it can be.
    assert by_code.pop("DYN004") is ClaimVerdict.PROVED
    assert set(by_code.values()) == {ClaimVerdict.NOT_VIOLATED}
    assert "no violation in 50 playouts" in audit.as_lines()[0]


@pytest.mark.parametrize(("text", "code", "steps"), FAULTY)
@pytest.mark.parametrize("max_states", [1_000, 1])
def test_a_fault_is_found_with_a_counterexample(
    text: str, code: str, steps: int, max_states: int
) -> None:
    audit = audited(text, max_states=max_states)
    assert violated(audit) == {code}
    claim = next(claim for claim in audit.claims if claim.verdict is ClaimVerdict.VIOLATED)
    assert {len(course) for course in claim.counterexamples} == {steps}
    assert len(claim.counterexamples) == (2 if code >= "DYN005" else 1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (STUCK, "white and black have no legal move, and the game is not over; counterexample: "),
        (STUCK + "(legal black rest)", "white has no legal move, and the game is not over; "),
        (TWO_GOALS, "white has the goals 50 and 100 at one end of the game; counterexample: 1. "),
        (NO_GOAL, "black has no goal where the game is over; counterexample: 1. "),
    ],
)  # fmt: skip
@pytest.mark.parametrize("max_states", [1_000, 1])
def test_a_finding_names_the_role_that_is_stuck_and_the_goals_that_clash(
    text: str, said: str, max_states: int
) -> None:
    (finding,) = audited(text, max_states=max_states).findings
    assert finding.message.startswith(said)


def test_a_way_round_in_a_circle_is_found() -> None:
    audit = audited(ENDLESS)
    assert violated(audit) == {"DYN001"}
    # The first two steps are counted; the third comes back to where the second one led.
    assert audit.claims[0].counterexamples == (("white stay, black go",) * 3,)


def test_playouts_that_do_not_end_are_given_up() -> None:
    claim = audited(NEVER_OVER, max_states=1).claims[0]
    assert (claim.code, claim.verdict) == ("DYN001", ClaimVerdict.VIOLATED)
    assert len(claim.counterexamples[0]) == MAX_STEPS


def test_the_counterexample_can_be_read() -> None:
    (finding,) = audited(UNKNOWN_MOVES).findings
    assert finding.severity is Severity.ERROR
    said, told = finding.message.split(": it cannot tell ")
    assert said == "it does not hold that black knows its legal moves"
    assert sorted(told.split(", from ")) == [
        "[1. random heads, black wait], after which bet is legal",
        "[1. random tails, black wait], after which bet is not legal",
    ]


def test_the_circle_can_be_read() -> None:
    (finding,) = audited(ENDLESS).findings
    assert finding.severity is Severity.WARNING
    assert finding.message == (
        "it does not hold that play ends: after 1. white stay, black go; 2. white stay, black go, "
        "this can be repeated for ever: 3. white stay, black go"
    )
    finding = audited(NEVER_OVER).findings[0]
    assert finding.message.endswith("; nothing then ends the game")


def test_what_a_role_is_told_it_knows() -> None:
    assert violated(audited(TOLD)) == set()
    assert violated(audited(TOLD, max_states=1)) == set()


def test_a_role_that_cannot_win_is_warned_of() -> None:
    findings = audited(LOST).findings
    assert {finding.code for finding in findings} == {"DYN004"}
    assert {finding.severity for finding in findings} == {Severity.WARNING}
    assert findings[0].message.endswith("(all 5 states; the largest goal is 90)")
    unsure = audited(LOST, max_states=1)
    assert unsure.findings == []
    assert ClaimVerdict.NOT_SHOWN in {claim.verdict for claim in unsure.claims}


@pytest.mark.parametrize(("text", "code"), [(STUCK, "DYN002"), (UNKNOWN_END, "DYN006")])
def test_the_reference_reasoner_is_audited_alike(text: str, code: str) -> None:
    assert violated(audited(text, engine="reference")) == {code}
    assert violated(audited(text, engine="reference", max_states=1)) == {code}


def test_the_start_may_be_the_end() -> None:
    audit = audited(SOUND + "(init over) (<= terminal (true over))")
    assert audit.states == 1
    assert violated(audit) == {"DYN004"}


def test_kuhn_poker_keeps_every_promise() -> None:
    game = load("kuhn_poker")
    audit = audit_play(game.machine, game.program, playouts=10, seed=0)
    assert {claim.verdict for claim in audit.claims} == {ClaimVerdict.PROVED}
    record = audit.as_record()
    assert record["states"] == 52
    assert {claim["code"] for claim in record["claims"]} == {f"DYN00{n}" for n in range(1, 8)}
