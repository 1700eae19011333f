"""Rules as text: opened, read, checked and translated before anything is compiled."""

from __future__ import annotations

import io
import pickle
from pathlib import Path

import pytest

import fogspiel as fs
from code_examples import FRAME, POGDDL_FRAME
from fogspiel.api.rules.check import check_files
from fogspiel.api.rules.rules import RulesText
from fogspiel.machine.compiled.machine import CompiledMachine

DOMAIN, _, REST = POGDDL_FRAME.partition("(define (problem")
PROBLEM = "(define (problem" + REST
UNSAFE = FRAME + "(<= (legal white go) (distinct ?x ?y))\n"


@pytest.fixture(scope="module")
def kuhn() -> fs.Rules:
    return fs.Rules.open("kuhn_poker")


def test_bundled_rules_know_their_entry(kuhn: fs.Rules) -> None:
    assert (kuhn.name, kuhn.plain_name, kuhn.language) == ("kuhn_poker", "kuhn_poker", "gdl")
    assert kuhn.entry is fs.bundled_games()["kuhn_poker"]
    assert "(role first)" in kuhn.text
    assert repr(kuhn).startswith("Rules('kuhn_poker', language='gdl', ")


def test_a_game_leads_back_to_its_rules(kuhn: fs.Rules) -> None:
    game = kuhn.load()
    assert game == fs.load("kuhn_poker")
    assert game.rules == kuhn
    assert hash(game.rules) == hash(kuhn)
    again = pickle.loads(pickle.dumps(kuhn))
    assert (again, again.entry) == (kuhn, kuhn.entry)
    assert pickle.loads(pickle.dumps(game)) == game


def test_a_game_without_rules_as_text_has_none_to_give() -> None:
    ground = fs.load("tic_tac_toe").loaded.ground
    assert ground is not None
    elsewhere = fs.Game.of_machine(CompiledMachine(ground))
    with pytest.raises(fs.UsageError, match="GAM004"):
        _ = elsewhere.rules


@pytest.mark.parametrize("kind", ["text", "bytes", "file"])
def test_rules_are_read_from_text_bytes_and_files(kind: str) -> None:
    data = FRAME.encode()
    ways: dict[str, RulesText] = {"text": FRAME, "bytes": data, "file": io.BytesIO(data)}
    given = ways[kind]
    rules = fs.Rules.read(given, name="mine.gdl")
    assert (rules.name, rules.plain_name, rules.text) == ("mine.gdl", "mine", FRAME)
    assert rules.load().players == ("white",)
    if kind != "file":
        assert fs.read(given, name="mine.gdl") == rules.load()


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(TypeError, match="rules are a text; got int"):
        fs.Rules.read(7)  # type: ignore[arg-type]
    with pytest.raises(fs.RulesError, match="GDL011"):
        fs.Rules.read(b"\x00\x01")
    with pytest.raises(fs.LimitError, match="GDL012"):
        fs.Rules.read(io.BytesIO(b"(p a)\n" * 2_000_000))


@pytest.mark.parametrize(
    ("name", "plain"),
    [("<stdin>", "game"), ("my games/hex (5).gdl", "hex-5"), ("...", "game"), ("a.b.gdl", "a-b")],
)
def test_a_plain_name_is_also_the_name_of_a_file(name: str, plain: str) -> None:
    assert fs.Rules.read(FRAME, name=name).plain_name == plain


def test_a_problem_brings_its_domain_or_is_given_one(tmp_path: Path) -> None:
    (tmp_path / "problem.pddl").write_text(PROBLEM)
    alone = fs.Rules.open(tmp_path / "problem.pddl")
    assert not alone.check().ok
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "domain.pddl").write_text(DOMAIN)
    given = fs.Rules.open(tmp_path / "problem.pddl", domain=elsewhere / "domain.pddl")
    (tmp_path / "domain.pddl").write_text(DOMAIN)
    found = fs.Rules.open(str(tmp_path / "problem.pddl"))
    read = fs.Rules.read(PROBLEM, domain=tmp_path / "domain.pddl")
    for rules in (given, found, read):
        assert rules.language == "pogddl"
        assert rules.text == f"{DOMAIN}\n{PROBLEM}"
        assert rules.check(ground_seconds=None).ok
    assert fs.load(tmp_path / "problem.pddl", domain=elsewhere / "domain.pddl").rules == given


def test_bad_rules_are_reported_and_raise_nothing() -> None:
    report = fs.Rules.read(UNSAFE, name="mine.gdl").check()
    assert not report.ok
    assert report.error is None
    finding = next(finding for finding in report.findings if finding.code == "GDL016")
    assert isinstance(finding, fs.Finding)
    assert finding.severity is fs.Severity.ERROR
    assert finding.place.startswith("mine.gdl:7:")
    assert str(report).splitlines()[-1] == f"mine.gdl: {report.summary}"


def test_rules_that_pass_a_limit_say_so() -> None:
    report = fs.Rules.read("(p a)\n" * 2_000_000).check()
    assert isinstance(report.error, fs.LimitError)
    assert report.findings == report.error.findings


def test_rules_too_large_to_ground_are_audited_on_the_reference_reasoner() -> None:
    rules = fs.Rules.read(FRAME + "(init (c z))\n(<= (next (c (s ?x))) (true (c ?x)))\n")
    report = rules.check(ground_seconds=0.5, playouts=2)
    assert [f.severity for f in report.findings if f.code.startswith("GRD")] == ["warning"]
    assert report.audit is not None
    assert report.audit.claims


def test_an_audit_proves_what_holds_of_a_small_game(kuhn: fs.Rules) -> None:
    report = kuhn.check(playouts=10)
    assert report.ok
    assert report.summary == "no findings"
    assert report.audit == kuhn.load().audit(10)
    assert report.audit is not None
    assert {str(claim.verdict) for claim in report.audit.claims} == {"proved"}
    assert "kuhn_poker: DYN001 play ends: proved (all 52 states)" in str(report)


def test_an_audit_of_actions_and_gains_goes_by_the_rules_as_written() -> None:
    claims = {claim.code for claim in fs.read(POGDDL_FRAME).audit(5).claims}
    assert "DYN008" in claims  # one mover at a time: only such rules have `whoseturn`
    with pytest.raises(ValueError, match="at least 1; got 0"):
        fs.load("tic_tac_toe").audit(0)


def test_files_that_belong_together_are_checked_together(tmp_path: Path) -> None:
    texts = {"problem.pddl": PROBLEM, "domain.pddl": DOMAIN, "good.gdl": FRAME}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    paths = [tmp_path / name for name in (*texts, "missing.gdl")]
    both, good, missing = check_files(paths, ground_seconds=None)
    assert both.name == f"{paths[1]} + {paths[0]}"
    assert (both.ok, good.ok, missing.ok) == (True, True, False)
    assert isinstance(missing.error, fs.UsageError)
    assert missing.findings[0].code == "GAM002"


def test_a_conversion_says_what_goals_stand_for(kuhn: fs.Rules) -> None:
    written = fs.Rules.open("kuhn_poker_pogddl").convert("gdl")
    assert (written.offset, written.scale) == (2, 1)  # at most two chips are lost
    again = fs.read(written.text)
    assert again.players == ("first", "second")
    assert kuhn.convert("efg").text.startswith('EFG 2 R "kuhn_poker" { "first" "second" }\n')
    with pytest.raises(fs.LimitError, match="TRE001"):
        kuhn.convert("efg", max_nodes=10)
    with pytest.raises(ValueError, match="to must be one of gdl, infix, pogddl, efg; got 'nfg'"):
        kuhn.convert("nfg")  # type: ignore[arg-type]


def test_engines_and_times_are_checked(kuhn: fs.Rules) -> None:
    with pytest.raises(ValueError, match="engine must be one of auto, compiled, reference"):
        kuhn.load(engine="fast")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="ground_seconds must be more than 0; got 0"):
        kuhn.load(ground_seconds=0)


def test_what_there_is_to_choose_from_is_listed() -> None:
    players = {player.name: player for player in fs.available_players()}
    assert list(players)[-1] == "human"
    assert "ismcts" in players
    assert "leaf evaluation" in players["uct"].argument
    assert {"mobility", "learned"} <= {own.name for own in fs.leaf_evaluations()}
    assert {"hex", "breakthrough"} <= set(fs.game_families())
    assert fs.finding_codes()["GDL014"].title


def test_a_game_tells_its_kind_and_its_sizes() -> None:
    info = fs.load("tic_tac_toe").info()
    assert (info.engine, info.language, info.roles) == ("compiled", "gdl", ("x", "o"))
    assert (info.simultaneous, info.has_chance, info.hidden_information) == (False, False, False)
    assert not info.has_percepts
    assert info.sizes is not None
    # Nine cells and `noop` for each player; nine cells for each and who is to move.
    assert info.sizes.moves_by_role == {"x": 10, "o": 10}
    assert (info.sizes.fluents, info.sizes.moves) == (20, 20)
    slow = fs.load("tic_tac_toe", engine="reference")
    assert (slow.sizes, slow.fallback) == (None, None)
    hidden = fs.load("kuhn_poker").info()
    assert (hidden.has_chance, hidden.hidden_information, hidden.has_percepts) == (True, True, True)


def test_the_moves_that_a_player_cannot_tell_apart_are_found() -> None:
    deal = fs.load("kuhn_poker").begin().play(random="(deal queen)")
    assert deal.indistinguishable("first") == {}
    cards = ("(deal jack)", "(deal king)", "(deal queen)")
    assert deal.indistinguishable("second") == {"random": cards}
    # Hidden marks: each player knows its own alone.
    step = fs.load("tic_tac_toe").begin().play(x="(mark 2 2)")
    assert step.indistinguishable("o") == {}
    with pytest.raises(fs.UsageError, match="API004"):
        fs.load("kuhn_poker").begin().indistinguishable("second")
    with pytest.raises(fs.UsageError, match="API001"):
        deal.indistinguishable("random")
