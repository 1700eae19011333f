"""Players of one's own are named by their code, made of settings, and play as all others do."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import pytest
from own_players import bots

from fogspiel.core.budget import Budget
from fogspiel.core.findings import FogspielError, PlayError, UsageError
from fogspiel.core.terms import RoleId
from fogspiel.games.load import load
from fogspiel.machine.protocol import player_roles
from fogspiel.play.induced_strategy import induced_strategy
from fogspiel.play.loop import Match, play_match
from fogspiel.players.catalogue import make_player
from fogspiel.players.own import OwnAgent, installed_players, setting_of
from fogspiel.players.protocol import Agent, KnowsMoves, Mixing, Thinks
from fogspiel.solve.strategy_value import strategy_value
from fogspiel.tree.build.build import build

__all__ = ["bots"]


def played(first: str, second: str = "first", game: str = "tic_tac_toe") -> Match:
    budget = partial(Budget.of, simulations=1)
    players: dict[RoleId, Agent] = {
        role: make_player(name)
        for role, name in zip(player_roles(load(game).machine), (first, second), strict=True)
    }
    return play_match(load(game).machine, players, start_budget=budget, turn_budget=budget, seed=1)


@pytest.mark.parametrize(
    "name",
    ["bots.py:Plain", "bots.py:Wrapped", "bots.py:OBJECT", "bots.py:made", "./bots.py:First"],
)
def test_a_class_an_object_or_a_function_of_a_file_plays(bots: Path, name: str) -> None:
    assert played(name).joints == played("first").joints


def test_a_class_of_a_module_plays(bots: Path) -> None:
    bots.rename(bots.with_name("module_with_bots.py"))
    assert played("module_with_bots:Plain").joints == played("first").joints


def agent_in(name: str) -> object:
    made = make_player(name)
    assert isinstance(made, OwnAgent)
    return made.agent


def test_settings_go_to_the_constructor(bots: Path) -> None:
    agent = agent_in("bots.py:Wrapped,depth=-3,name=[a,b],share=2e-1,wide=True")
    assert vars(agent)["settings"] == (-3, "a,b", 0.2, True)
    assert vars(agent_in("bots.py:made,depth=7"))["settings"][0] == 7


@pytest.mark.parametrize(
    ("text", "value"),
    [("3", 3), ("-1.5", -1.5), ("1e3", 1000.0), ("true", True), ("False", False), ("x", "x")],
)
def test_values_are_numbers_truth_or_text(text: str, value: object) -> None:
    assert setting_of(text) == value
    assert type(setting_of(text)) is type(value)


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("bats.py:Plain", "OWN001", "there is no file bats.py with a player"),
        ("bots.py:Plane", "OWN002", "did you mean "),
        ("bots.py", "OWN002", "names are "),
        ("bots.py:Plain,3", "PLY021", "cannot use '3'"),
        ("bots.py:OBJECT,depth=1", "PLY021", "it is an object, not a class"),
        ("bots.py:NoPlayer", "PLY031", "derive the class from fogspiel.Player"),
        ("bots.py:OnlyChooses", "PLY031", "is a class that is no player"),
        ("bots.py:GivesNothing", "PLY031", "of type NoneType that is no player"),
        ("bots.py:NUMBER", "PLY031", "of type int that is no player"),
        ("bots.py:Abstract", "PLY032", "it lacks choose"),
        ("bots.py:Wrapped,depht=1", "PLY033", "it takes depth, name, share, wide"),
        ("bots.py:Fails", "PLY034", "ValueError: no such depth"),
    ],
)
def test_what_is_no_player_is_refused_with_what_would_do(
    bots: Path, name: str, code: str, said: str
) -> None:
    with pytest.raises(UsageError) as caught:
        make_player(name)
    assert caught.value.findings[0].code == code
    assert said in str(caught.value)


def test_a_word_without_its_file_gets_the_name_of_the_class(bots: Path) -> None:
    with pytest.raises(UsageError, match=r"did you mean bots.py:Plain\? Otherwise use one of auto"):
        make_player("Plain,depth=3")


def test_a_constructor_that_fails_is_shown_with_its_line(bots: Path) -> None:
    with pytest.raises(UsageError) as caught:
        make_player("bots.py:Fails")
    assert 'raise ValueError("no such depth")' in str(caught.value)
    assert str(caught.value).startswith("bots.py:")


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("bots.py:Raises", "PLY035", "ZeroDivisionError: division by zero"),
        ("bots.py:Leaves", "PLY035", "SystemExit: bye"),
        ("bots.py:Asks", "PLY035", "PLY002 there is no player 'nobody'"),
        ("bots.py:Babbles", "MAT001", "it answered 'noop'"),
    ],
)
def test_a_fault_in_play_names_player_role_step_and_line(
    bots: Path, name: str, code: str, said: str
) -> None:
    with pytest.raises(PlayError) as caught:
        played("first", name)
    (finding,) = caught.value.findings
    assert finding.code == code
    # The second player of tic-tac-toe is asked in every step, also where it has no choice.
    assert finding.message.startswith(f"in step 1, the player {name} of o ")
    assert said in finding.message
    if name == "bots.py:Raises":
        assert "return 1 / 0" in str(caught.value)


def test_only_what_a_player_can_do_is_asked_of_it(bots: Path) -> None:
    plain, mixer = make_player("bots.py:Plain"), make_player("bots.py:Mixer")
    assert isinstance(plain, KnowsMoves)
    assert not isinstance(plain, Mixing)
    assert not isinstance(plain, Thinks)
    assert isinstance(mixer, Mixing)


def test_an_own_player_induces_the_strategy_that_it_plays(bots: Path) -> None:
    machine = load("kuhn_poker").machine
    tree = build(machine)

    def exploitability(name: str) -> float:
        strategy = induced_strategy(
            machine,
            tree,
            partial(make_player, name),
            turn_budget=partial(Budget.of, simulations=1),
            seed=1,
        )
        return strategy_value(tree, strategy).exploitability

    # `Mixer` and `random` are the same player, whose mixture is asked for.
    assert exploitability("bots.py:Mixer") == exploitability("random")
    assert exploitability("bots.py:Plain") == exploitability("first")


def installed(folder: Path, entry_points: str) -> None:
    package = folder / "fogbots-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: fogbots\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text(f"[fogspiel.players]\n{entry_points}")
    sys.path.append(str(folder))
    installed_players.cache_clear()


def test_players_of_installed_packages_are_known_by_name(bots: Path) -> None:
    bots.rename(bots.with_name("installed_bots.py"))
    try:
        installed(
            bots.parent,
            "wrapped = installed_bots:Wrapped\nrandom = installed_bots:Raises\n"
            "broken = installed_bots:Missing\n",
        )
        assert vars(agent_in("wrapped,depth=4"))["settings"][0] == 4
        # Names of the catalogue keep their meaning.
        assert not isinstance(make_player("random"), OwnAgent)
        with pytest.raises(UsageError, match="PLY030"):
            make_player("broken")
        with pytest.raises(FogspielError, match="did you mean wrapped"):
            make_player("wraped")
    finally:
        sys.path.remove(str(bots.parent))
        installed_players.cache_clear()
