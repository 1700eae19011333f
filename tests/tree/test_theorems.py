"""Theorems 1 and 2 of Richards (2012), done on many games: rules and trees describe the same.

A random game in extensive form becomes POGDDL, is played by a machine, unfolded again, and must be
the game that it was.
"""

from __future__ import annotations

import pytest

from efg_games import COIN, game_of, kuhn_efg, random_game
from fogspiel.core.findings import RulesError
from fogspiel.core.source import Source
from fogspiel.games.load import load_source
from fogspiel.machine.interpreter.machine import InterpretedMachine
from fogspiel.rules.efg.as_pogddl import as_pogddl
from fogspiel.rules.efg.checks import steps_of
from fogspiel.rules.efg.syntax import ExtensiveGame
from fogspiel.rules.pogddl.check.checks import read_and_check
from fogspiel.rules.pogddl.write import write
from fogspiel.tree.compare.isomorphism import compare
from fogspiel.tree.preorder import efg_of_tree, tree_of_efg
from unfolding import in_preorder


def assert_survives(game: ExtensiveGame) -> None:
    """Through POGDDL, a machine and its tree, the game stays the same."""
    tree = in_preorder(InterpretedMachine(as_pogddl(game)))
    found = compare(tree_of_efg(game), tree)
    assert found, found.difference
    assert compare(tree, tree_of_efg(efg_of_tree(tree)), labels=True)


@pytest.mark.parametrize("seed", range(200))
def test_a_game_survives_the_way_through_rules(seed: int) -> None:
    assert_survives(random_game(seed))


@pytest.mark.parametrize("seed", range(0, 200, 16))
def test_a_game_survives_the_way_through_compiled_rules(seed: int) -> None:
    game = random_game(seed)
    source = Source("tree.pogddl", write(as_pogddl(game)))
    tree = in_preorder(load_source(source, engine="compiled").machine)
    found = compare(tree_of_efg(game), tree)
    assert found, found.difference


@pytest.mark.parametrize("text", [COIN, kuhn_efg()], ids=["coin", "kuhn"])
def test_known_games_survive_the_way_through_rules(text: str) -> None:
    assert_survives(game_of(text))


@pytest.mark.parametrize("seed", range(20))
def test_the_rules_are_sound_and_read_back_equal(seed: int) -> None:
    description = as_pogddl(random_game(seed))
    read, findings = read_and_check([Source("tree.pogddl", write(description))])
    # In small trees some facts of the general rules never hold, such as weights without chance.
    assert {finding.code for finding in findings} <= {"POG062"}
    assert read == description


def test_some_random_games_need_waiting_steps_and_some_do_not() -> None:
    texts = [write(as_pogddl(random_game(seed))) for seed in range(60)]
    waiting = [" w1" in text for text in texts]
    assert any(waiting)
    assert not all(waiting)


def test_nodes_of_an_infoset_are_reached_at_the_same_step() -> None:
    for seed in range(60):
        game = random_game(seed)
        steps = steps_of(game)
        times: dict[int, int] = {}
        for node, own in enumerate(game.nodes):
            infoset = game.infoset_of(node)
            if own.infoset is not None and infoset is not None and infoset.player > 0:
                assert times.setdefault(own.infoset, steps[node]) == steps[node]
            if node:
                assert steps[node] > steps[game.parents[node]]


CROSSING = """\
EFG 2 R "Who is first?" { "Ann" "Ben" }
c "" 1 "" { "Ann" 1/2 "Ben" 1/2 } 0
p "" 1 1 "me?" { "a" "b" } 0
p "" 2 1 "or me?" { "a" "b" } 0
t "" 0
t "" 0
t "" 0
p "" 2 1 "or me?" { "a" "b" } 0
p "" 1 1 "me?" { "a" "b" } 0
t "" 0
t "" 0
t "" 0
"""


def test_infosets_that_cross_are_named() -> None:
    with pytest.raises(RulesError) as caught:
        as_pogddl(game_of(CROSSING))
    (finding,) = caught.value.findings
    assert finding.code == "EFG022"
    assert "infoset 1 (me?) of Ann, infoset 1 (or me?) of Ben" in finding.message


@pytest.mark.parametrize(
    ("code", "inner"), [("EFG020", 'p "" 1 2 "" { "x" "y" } 0'), ("EFG021", 'p "" 1 1 0')]
)
def test_players_that_forget_cannot_be_described_by_rules(code: str, inner: str) -> None:
    below = f'{inner}\nt "" 0\nt "" 0\n'
    text = f'EFG 2 R "" {{ "Ann" }}\np "" 1 1 "" {{ "a" "b" }} 0\n{below}{below}'
    with pytest.raises(RulesError, match=code):
        as_pogddl(game_of(text))


def test_names_are_readable_and_never_clash() -> None:
    text = 'EFG 2 R "All" { "chance" "Ann" "ann" }\n' + (
        'p "" 2 1 "ann" { "ann" "ann" "+1" "" } 0\n' + 't "" 1 "wait" { 1 1 1 }\n' * 4
    )
    game = game_of(text)
    problem = as_pogddl(game).problem
    assert problem is not None
    names = [own.term.text for own in problem.objects if hasattr(own.term, "text")]
    assert len(names) == len(set(names)) == len(problem.objects)
    assert_survives(game)


@pytest.mark.parametrize("seed", range(0, 200, 8))
def test_a_game_survives_under_its_own_names(seed: int) -> None:
    game = random_game(seed)
    tree = in_preorder(InterpretedMachine(as_pogddl(game, with_own_names=True)))
    found = compare(tree_of_efg(game), tree)
    assert found, found.difference
