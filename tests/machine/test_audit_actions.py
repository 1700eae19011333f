"""The audit of play in POGDDL: each fault with its course of play, and sound games without any."""

from __future__ import annotations

import pytest

from code_examples import POGDDL_FRAME, example_text
from fogspiel.core.findings import Finding, Severity
from fogspiel.core.source import Source
from fogspiel.games.library import resolve
from fogspiel.games.load import load_sources
from fogspiel.machine.audit.audit import audit_play
from fogspiel.machine.audit.claims import Audit, ClaimVerdict
from fogspiel.machine.audit.pogddl_claims import ActionRules
from fogspiel.machine.interpreter.machine import InterpretedMachine
from fogspiel.machine.protocol import Engine
from fogspiel.rules.languages import examine
from pogddl_games import CART, NOUGHTS

# Chance puts a ball under one of two cups, and ann lifts one.
CUPS = """\
(define (domain cups)
  (:types role cup)
  (:constants ann chance - role left right - cup)
  (:predicates (whoseturn ?r - role) (under ?c - cup) (lifted ?c - cup))
  (:action hide
    :parameters (?c - cup)
    :precondition (whoseturn chance)
    :effect (and (not (whoseturn chance)) (whoseturn ann) (under ?c) (observe (ann (hidden _)))))
  (:action lift
    :parameters (?c - cup)
    :precondition (whoseturn ann)
    :effect (and (not (whoseturn ann)) (lifted ?c) (forall (?d - cup)
                 (when (under ?d) (observe (ann (was-under ?d)))))))
  (:gain ann 1 (exists (?c - cup) (and (under ?c) (lifted ?c)))))
(define (problem two) (:domain cups) (:init (whoseturn chance)))
"""
BOTH_MOVE = CUPS.replace("(and (not (whoseturn chance)) (whoseturn ann)", "(and (whoseturn ann)")
NOBODY_MOVES = CUPS.replace(
    "  (:gain",
    "  (:terminal (exists (?c - cup) (and (under ?c) (lifted ?c))))\n  (:gain",
)
# Only the cup with the ball can be lifted, and ann is not told which it is.
PEEKING = CUPS.replace(
    ":precondition (whoseturn ann)", ":precondition (and (under ?c) (whoseturn ann))"
)
UNTOLD = CUPS.replace("(ann (was-under ?d))", "(chance (was-under ?d))")
# The ball goes back under the cups if ann finds it; nobody can end this but by a wrong guess.
AGAIN = CUPS.replace(
    "(not (whoseturn ann)) (lifted ?c)",
    "(not (whoseturn ann)) (when (not (under ?c)) (lifted ?c))"
    " (when (under ?c) (and (not (under ?c)) (whoseturn chance)))",
)
FOR_EVER = CUPS.replace(
    "(not (whoseturn ann)) (lifted ?c)",
    "(not (whoseturn ann)) (not (under left)) (not (under right)) (whoseturn chance)",
)
NO_SUCH_GAIN = CUPS.replace(
    "  (:gain", "  (:gain ann 5 (and (under left) (under right)))\n  (:gain", 1
)
NO_SUCH_ACTION = CUPS.replace(
    "  (:gain",
    "  (:action cheat :parameters () :precondition (and (whoseturn ann) (lifted left)))\n  (:gain",
)
SMALL = {"cups": CUPS, "noughts": NOUGHTS, "frame": POGDDL_FRAME}


def audited(
    text: str, *, max_states: int = 20_000, engine: Engine = "compiled", playouts: int = 40
) -> Audit:
    return audit_of([Source("small.pogddl", text)], max_states, engine, playouts)


def audit_of(sources: list[Source], max_states: int, engine: Engine, playouts: int) -> Audit:
    findings, rules = examine(sources)
    assert rules is not None, [str(finding) for finding in findings]
    assert rules.description is not None
    reference = InterpretedMachine(rules.description)
    machine = reference if engine == "reference" else load_sources(sources, engine=engine).machine
    return audit_play(
        machine,
        rules.program,
        playouts=playouts,
        seed=1,
        max_states=max_states,
        rulings=ActionRules(rules.description, reference),
    )


def only_finding(audit: Audit) -> Finding:
    (finding,) = audit.findings
    return finding


EVERY_WAY = pytest.mark.parametrize(
    ("engine", "max_states"),
    [("compiled", 20_000), ("compiled", 1), ("reference", 20_000), ("reference", 1)],
)


@EVERY_WAY
def test_two_movers_are_shown_with_the_way_to_them(engine: Engine, max_states: int) -> None:
    finding = only_finding(audited(BOTH_MOVE, engine=engine, max_states=max_states))
    assert (finding.code, finding.severity) == ("DYN008", Severity.ERROR)
    said, course = finding.message.split("; counterexample: ")
    assert said == "it does not hold that `whoseturn` holds for one role at a time"
    assert course in {"1. chance (hide left)", "1. chance (hide right)"}


@EVERY_WAY
def test_an_end_that_no_condition_asked_for_is_warned_of(engine: Engine, max_states: int) -> None:
    finding = only_finding(audited(NOBODY_MOVES, engine=engine, max_states=max_states))
    assert (finding.code, finding.severity) == ("DYN009", Severity.WARNING)
    _, course = finding.message.split(
        ": nobody is to move, and no :terminal condition holds, after "
    )
    assert course in {
        "1. chance (hide left); 2. ann (lift right)",
        "1. chance (hide right); 2. ann (lift left)",
    }


@EVERY_WAY
def test_legality_that_differs_in_an_information_set_is_shown_with_both_histories(
    engine: Engine, max_states: int
) -> None:
    audit = audited(PEEKING, engine=engine, max_states=max_states)
    (finding,) = [finding for finding in audit.findings if finding.code == "DYN005"]
    assert finding.severity is Severity.ERROR
    assert finding.message.startswith("it does not hold that ann knows its legal moves: ")
    told = finding.message.partition(": it cannot tell ")[2].split(", from ")
    legal = "left" if "(lift left)" in told[0] else "right"
    other = "right" if legal == "left" else "left"
    assert sorted(told) == sorted(
        [
            f"[1. chance (hide {legal})], after which (lift {legal}) is legal",
            f"[1. chance (hide {other})], after which (lift {legal}) is not legal",
        ]
    )


@EVERY_WAY
def test_a_payoff_that_a_role_cannot_know_is_warned_of(engine: Engine, max_states: int) -> None:
    finding = only_finding(audited(UNTOLD, engine=engine, max_states=max_states))
    assert (finding.code, finding.severity) == ("DYN007", Severity.WARNING)
    assert "it gets 1" in finding.message
    assert "it gets 0" in finding.message


@pytest.mark.parametrize("engine", ["compiled", "reference"])
def test_a_game_that_need_not_end_is_shown_by_a_circle(engine: Engine) -> None:
    finding = audited(AGAIN, engine=engine).findings[0]
    assert (finding.code, finding.severity) == ("DYN001", Severity.WARNING)
    assert finding.message in {
        "it does not hold that play ends: from the start on, this can be repeated for ever: "
        f"1. chance (hide {cup}); 2. ann (lift {cup})"
        for cup in ("left", "right")
    }


def test_a_game_that_cannot_end_is_told_from_one_that_may() -> None:
    by_code = {finding.code: finding for finding in audited(FOR_EVER).findings}
    assert by_code.keys() == {"DYN001", "DYN010"}
    assert by_code["DYN001"].message.endswith("; nothing then ends the game")
    cut = next(c for c in audited(FOR_EVER, max_states=1, playouts=2).claims if c.code == "DYN001")
    assert cut.verdict is ClaimVerdict.VIOLATED
    assert cut.text == "play ends within 2,000 steps"


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [(NO_SUCH_GAIN, "DYN010", "(:gain ann 5"), (NO_SUCH_ACTION, "DYN011", "cheat")],
)
def test_what_never_happens_is_pointed_at(text: str, code: str, place: str) -> None:
    finding = only_finding(audited(text))
    assert (finding.code, finding.severity) == (code, Severity.WARNING)
    assert finding.span is not None
    assert text[finding.span.start :].startswith(place)
    unsure = audited(text, max_states=1)
    assert unsure.findings == []
    (claim,) = [claim for claim in unsure.claims if claim.code == code]
    assert claim.verdict is ClaimVerdict.NOT_SHOWN


def test_an_action_that_cannot_be_grounded_is_refuted_without_visiting_all_states() -> None:
    text = NO_SUCH_ACTION.replace("(lifted left)))", "(marked)))").replace(
        "(lifted ?c - cup))", "(lifted ?c - cup) (marked))"
    )
    finding = only_finding(audited(text, max_states=1))
    assert finding.code == "DYN011"
    assert finding.message.endswith("the action cheat can be applied (by its precondition)")


@pytest.mark.parametrize("max_states", [20_000, 1])
def test_numbers_that_break_down_are_shown_with_the_way_there(max_states: int) -> None:
    text = POGDDL_FRAME.replace("(increase (score ?r) 1)", "(assign (score ?r) (/ 1 (score ?r)))")
    findings = audited(text, engine="reference", max_states=max_states).findings
    assert [finding.code for finding in findings] == ["MCH013"]
    assert findings[0].message.endswith("; counterexample: 1. ann (throw ann ben ball)")
    assert findings[0].span is not None


@pytest.mark.parametrize("name", SMALL)
def test_sound_games_keep_every_promise(name: str) -> None:
    audit = audited(SMALL[name], playouts=10)
    assert {claim.verdict for claim in audit.claims} == {ClaimVerdict.PROVED}
    assert audit.findings == []


@pytest.mark.parametrize("name", ["cups", "frame"])
def test_sound_games_are_not_blamed_by_playouts_either(name: str) -> None:
    for engine in ("compiled", "reference"):
        assert audited(SMALL[name], max_states=1, engine=engine).findings == []


@pytest.mark.parametrize(
    "name",
    ["simple_poker_pogddl", "kuhn_poker_pogddl", "tic_tac_toe_pogddl", "latent_tic_tac_toe_pogddl",
     "slippery_robot", "battleship_4_2", "racko_12_3", "gops_4_10", "difference_9"],
)  # fmt: skip
def test_bundled_games_have_no_findings(name: str) -> None:
    audit = audit_of([resolve(name)], 200, "compiled", 10)
    assert [str(finding) for finding in audit.findings] == []


def test_the_cart_may_stop_where_chance_has_no_way_on() -> None:
    # The last cell has no next one, so chance has no action there: the rules leave it at that.
    codes = {finding.code for finding in audited(CART).findings}
    assert codes <= {"DYN010", "DYN011"}


@pytest.mark.parametrize("code", ["DYN008", "DYN009", "DYN010", "DYN011"])
def test_the_example_of_the_catalogue_has_its_fault_and_no_other(code: str) -> None:
    assert [finding.code for finding in audited(example_text(code)).findings] == [code]
