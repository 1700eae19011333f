"""All players are named by one grammar: a name or a class, words, and settings."""

from __future__ import annotations

import pytest

from fogspiel.core.findings import UsageError
from fogspiel.core.user_code import CodeName
from fogspiel.players.catalogue import ALL_PLAYERS, make_player
from fogspiel.players.names import Arguments, player_name, split
from fogspiel.players.searching.search_player import SearchPlayer
from fogspiel.search.evaluation.leaf import LeafEvaluation

BOTS = CodeName("bots.py", "Mine", is_file=True)


@pytest.mark.parametrize(
    ("text", "name", "code", "argument"),
    [
        ("uct", "uct", None, None),
        ("uct:c=1,mobility", "uct", None, "c=1,mobility"),
        ("uct,c=1", "uct", None, "c=1"),
        ("uct:", "uct", None, ""),
        ("tignum:any.methods,criterion=hurwicz:0.5", "tignum", None,
         "any.methods,criterion=hurwicz:0.5"),
        ("scripted:moves.py:Mine", "scripted", None, "moves.py:Mine"),
        ("solved:Kuhn", "solved", None, "Kuhn"),
        ("nobody:3", "nobody", None, "3"),
        ("bots.py:Mine", "bots.py:Mine", BOTS, None),
        ("bots.py:Mine,depth=3,wide=true", "bots.py:Mine", BOTS, "depth=3,wide=true"),
        ("a,b/bots.py:Mine,depth=3", "a,b/bots.py:Mine",
         CodeName("a,b/bots.py", "Mine", is_file=True), "depth=3"),
        ("bots.py", "bots.py", CodeName("bots.py", "", is_file=True), None),
        ("club.bots:mine,depth=3", "club.bots:mine",
         CodeName("club.bots", "mine", is_file=False), "depth=3"),
        ("bots:Mine", "bots:Mine", CodeName("bots", "Mine", is_file=False), None),
    ],
)  # fmt: skip
def test_names_are_taken_apart(
    text: str, name: str, code: CodeName | None, argument: str | None
) -> None:
    found = player_name(text, ALL_PLAYERS)
    assert (found.text, found.name, found.code, found.argument) == (text, name, code, argument)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", [""]),
        ("a,b=1", ["a", "b=1"]),
        ("(mark 1,1),b=[1,2,(3,4)],c", ["(mark 1,1)", "b=[1,2,(3,4)]", "c"]),
        # Brackets that do not pair up are letters of a file's name.
        ("odd(1.txt,b=1", ["odd(1.txt", "b=1"]),
        ("odd)1(.txt,b=1", ["odd)1(.txt", "b=1"]),
    ],
)
def test_commas_in_brackets_separate_nothing(text: str, parts: list[str]) -> None:
    assert split(text) == parts


def test_square_brackets_around_a_value_are_taken_off() -> None:
    text = "weights=[1,2],opening=(mark 1,1),game=hex[3],both=[1][2],empty=[]"
    assert Arguments("x", text).settings() == {
        "weights": "1,2",
        "opening": "(mark 1,1)",
        "game": "hex[3]",
        "both": "[1][2]",
        "empty": "",
    }


def test_what_nobody_takes_is_refused() -> None:
    arguments = Arguments("x", "word,other,key=1")
    assert arguments.word() == "word"
    with pytest.raises(UsageError, match="the player x cannot use 'other'\n  fix: give nothing"):
        arguments.refuse_rest("nothing")
    assert arguments.word() == "other"
    with pytest.raises(UsageError, match="cannot use 'key=1'"):
        arguments.refuse_rest("nothing")
    assert arguments.setting("key") == "1"
    arguments.refuse_rest("nothing")


@pytest.mark.parametrize(
    "name",
    ["uct:c=1,mobility,steps=4", "uct:mobility,steps=4,c=1", "uct,steps=4,mobility,c=1"],
)
def test_settings_come_in_any_order(name: str) -> None:
    player = make_player(name)
    assert isinstance(player, SearchPlayer)
    assert player.setup.algorithm.rule.constant == pytest.approx(0.01)
    assert player.setup.leaves == LeafEvaluation(name="mobility", steps=4)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("random:3", "the player random cannot use '3'\n  fix: give just random"),
        ("uct:mobility,deep", "the player uct cannot use 'deep'"),
        ("uct:share=0.5", "the player uct cannot use 'share=0.5'"),
        ("uct:c=1,c=2", "the player uct cannot use 'c=2'\n  fix: give c once"),
        ("exploit:0.5,0.6", "the player exploit cannot use '0.6'"),
        ("cfr:trust=0.5,3,mobility,4", "the player cfr cannot use '4'"),
        ("shodan:mobility,depth=1", "the player shodan cannot use 'depth=1'"),
    ],
)
def test_no_player_takes_more_than_it_can_use(name: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        make_player(name)
    assert caught.value.findings[0].code == "PLY021"
    assert said in str(caught.value)
