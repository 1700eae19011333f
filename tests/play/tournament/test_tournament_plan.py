"""Plans: what they may say, and what is said about those that are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from plans import PLAYERS, SMALL, game, plan_of

from fogspiel.core.findings import UsageError
from fogspiel.play.clocks import MatchClocks, PlayerLimits
from fogspiel.play.tournament.plan import PlayerPlan, canonical_text, plan_of_canonical
from fogspiel.play.tournament.plan_reading import MOST_BYTES, read_plan


def codes_and_messages(text: str) -> list[tuple[str, str]]:
    with pytest.raises(UsageError) as caught:
        plan_of(text)
    return [(finding.code, finding.message) for finding in caught.value.findings]


def test_a_plan_says_who_plays_what_how_often_and_by_which_clock() -> None:
    plan = plan_of(
        """
        name = "autumn"
        seed = 5
        games = ["kuhn_poker", "own.gdl"]
        repetitions = 7
        keep_records = true
        match_seconds = 60
        [clock]
        start_seconds = 2
        turn_seconds = 1
        [[players]]
        name = "strong"
        player = "uct"
        simulations = 1000
        [[players]]
        name = "far"
        url = "http://127.0.0.1:9147"
        dialect = "gdl2"
        """
    )
    assert (plan.name, plan.seed, plan.repetitions) == ("autumn", 5, 7)
    assert plan.games == ("kuhn_poker", "own.gdl")
    assert plan.clock == MatchClocks(start_seconds=2.0, turn_seconds=1.0, grace_seconds=0.5)
    assert plan.players == (
        PlayerPlan(name="strong", player="uct", simulations=1000),
        PlayerPlan(name="far", url="http://127.0.0.1:9147", dialect="gdl2"),
    )
    assert plan.keep_records
    assert plan.match_seconds == 60.0


def test_limits_on_players_of_ones_own_are_part_of_a_plan_that_sets_them() -> None:
    usual, limited = plan_of(), plan_of(f"{SMALL}[limits]\nmemory_mb = 256\nmove_seconds = 5\n")
    assert usual.limits == PlayerLimits()
    assert limited.limits == PlayerLimits(memory_bytes=256 << 20, move_seconds=5.0)
    rules = [game("kuhn_poker", "first", "second")]
    # A journal of before knows no limits, and goes on.
    assert '"limits"' not in canonical_text(usual, rules)
    assert plan_of_canonical(canonical_text(usual, rules))[0] == usual
    assert plan_of_canonical(canonical_text(limited, rules))[0] == limited
    assert codes_and_messages(f"{SMALL}[limits]\nmemory = 0\nload_seconds = 0\n") == [
        ("TOU002", "there is no entry limits.memory"),
        ("TOU003", "limits.load_seconds is 0"),
    ]


def test_players_and_plans_have_names_by_default() -> None:
    plan = plan_of()
    assert plan.name == "league"
    assert [player.name for player in plan.players] == ["random", "first"]


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        ("repetition = 3", "TOU002", "there is no entry repetition"),
        ("repetitions = 0", "TOU003", "repetitions is 0"),
        ("repetitions = true", "TOU003", "repetitions is True"),
        ('seed = "1"', "TOU003", "seed is '1'"),
        ("seed = -1", "TOU003", "seed is -1"),
        ('name = ""', "TOU003", "name is ''"),
        ('name = "a\\nb"', "TOU003", "name is 'a\\nb'"),
        ('format = "knockout"', "TOU003", "format is 'knockout'"),
        ("keep_records = 1", "TOU003", "keep_records is 1"),
        ("match_seconds = nan", "TOU003", "match_seconds is nan"),
        ("match_seconds = inf", "TOU003", "match_seconds is inf"),
    ],
)
def test_a_wrong_entry_is_told_with_its_name(change: str, code: str, said: str) -> None:
    text = f'{change}\ngames = ["kuhn_poker"]\n[clock]\nsimulations = 2\n{PLAYERS}'
    assert codes_and_messages(text) == [(code, said)]


@pytest.mark.parametrize(
    ("clock", "said"),
    [
        ("", "clock.simulations or turn_seconds must be given; got neither"),
        (
            "simulations = 1\nturn_seconds = 1",
            "clock.simulations or turn_seconds must be given; got both",
        ),
        ("simulations = 1.5", "clock.simulations is 1.5"),
        ("turn_seconds = 0", "clock.turn_seconds is 0"),
        ("simulations = 1\nstart_seconds = 1", "clock.start_seconds goes with turn_seconds"),
    ],
)
def test_a_clock_counts_seconds_or_simulations(clock: str, said: str) -> None:
    text = f'games = ["kuhn_poker"]\n[clock]\n{clock}\n{PLAYERS}'
    assert codes_and_messages(text) == [("TOU003", said)]


@pytest.mark.parametrize(
    ("player", "said"),
    [
        ('name = "x"', "players[3].player or url must be given; got neither"),
        ('player = "a"\nurl = "b"', "players[3].player or url must be given; got both"),
        ('name = "first"\nplayer = "uct"', "players has 'first' more than once"),
        ('player = "a"\ndialect = "gdl2"', "players[3].dialect is for players with a url"),
        ('player = "a"\nsimulations = 0', "players[3].simulations is 0"),
    ],
)
def test_a_player_is_local_or_remote_and_has_a_name_of_its_own(player: str, said: str) -> None:
    assert codes_and_messages(f"{SMALL}[[players]]\n{player}\n") == [("TOU003", said)]


def test_players_without_a_name_that_are_alike_are_numbered() -> None:
    alike = '[[players]]\nplayer = "uct"\n'
    plan = plan_of(f'games = ["kuhn_poker"]\n[clock]\nsimulations = 1\n{alike}{alike}{alike}')
    assert [player.name for player in plan.players] == ["uct (1)", "uct (2)", "uct (3)"]


def test_remote_players_need_a_clock_of_seconds() -> None:
    text = f'{SMALL}[[players]]\nname = "far"\nurl = "http://127.0.0.1:9147"\n'
    assert codes_and_messages(text) == [("TOU003", "clock counts simulations, which far cannot do")]


def test_remote_players_are_told_whole_seconds() -> None:
    text = SMALL.replace("simulations = 2", "turn_seconds = 1.5")
    text += '[[players]]\nname = "far"\nurl = "http://127.0.0.1:9147"\n'
    assert codes_and_messages(text) == [
        ("TOU003", "clock has parts of seconds, which far cannot be told")
    ]


def test_everything_wrong_is_told_at_once_with_a_proposal() -> None:
    with pytest.raises(UsageError) as caught:
        plan_of('game = ["kuhn_poker"]\nplayers = 3\n')
    findings = caught.value.findings
    assert [finding.message for finding in findings] == [
        "there is no entry game",
        "games must be a list of texts",
        "players must be tables",
        "clock must be a table",
        "clock.simulations or turn_seconds must be given; got neither",
    ]
    assert findings[0].fix == "did you mean games?"
    assert str(findings[0]).startswith("league.toml: TOU002")


@pytest.mark.parametrize("text", ["games = [", "= 3", "a" * (MOST_BYTES + 1), "[" * 100_000])
def test_what_is_no_toml_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "league.toml"
    path.write_text(text)
    with pytest.raises(UsageError) as caught:
        read_plan(path)
    assert [finding.code for finding in caught.value.findings] == ["TOU001"]


def test_a_file_that_is_not_there_or_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bytes.toml").write_bytes(b"name = '\xff'")
    for name in ("missing.toml", "bytes.toml", ""):
        with pytest.raises(UsageError, match="TOU001"):
            read_plan(tmp_path / name)


def test_the_canonical_text_depends_on_the_plan_and_on_the_rules() -> None:
    plan, kuhn = plan_of(), game("kuhn_poker", "first", "second")
    text = canonical_text(plan, [kuhn])
    assert text == canonical_text(plan_of(), [kuhn])
    assert text != canonical_text(plan_of(SMALL.replace("3", "4")), [kuhn])
    assert text != canonical_text(plan, [game("kuhn_poker", "second", "first")])
