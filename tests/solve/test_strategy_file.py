"""Strategy files: what is written reads back equal, and what is not in order is refused."""

from __future__ import annotations

import gzip
import json
import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fogspiel.core.findings import FogspielError, UsageError
from fogspiel.core.source import Source
from fogspiel.core.terms import Observation, RoleId
from fogspiel.core.values import Unit
from fogspiel.games.load import LoadedGame, load, load_source
from fogspiel.rules.sexpr import exact_text
from fogspiel.solve.files.strategy_file import (
    document_of,
    read_strategy,
    rules_digest,
    write_strategy,
)
from fogspiel.solve.files.strategy_table import Origin, StrategyFile, role_strategies, strategy_on
from fogspiel.solve.result import Strategy, action_starts, uniform
from fogspiel.tree.build.build import build
from fogspiel.tree.game_tree import GameTree, ObservationText, observation_text
from level_order import from_preorder
from unfolding import unfold


@pytest.fixture(scope="module")
def kuhn() -> LoadedGame:
    return load("kuhn_poker")


@pytest.fixture(scope="module")
def tree(kuhn: LoadedGame) -> GameTree:
    return build(kuhn.machine)


def random_strategy(tree: GameTree, seed: int) -> Strategy:
    rng = np.random.default_rng(seed)
    starts = action_starts(tree.infosets)
    weights = rng.random(int(starts[-1]))
    totals = np.add.reduceat(weights, starts[:-1])
    shares = weights / np.repeat(totals, tree.infosets.action_counts)
    return Strategy(starts=starts, probabilities=shares)


def saved_of(game: LoadedGame, tree: GameTree, strategy: Strategy) -> StrategyFile:
    origin = Origin(
        game=game.name,
        rules_digest=rules_digest(game.sources),
        roles=tree.players,
        unit=Unit("chips", 50.0, 25.0),
        values=(-1 / 18, 1 / 18),
        exploitability=0.1,
        method="by hand",
        parameters={"seed": 1},
        iterations=0,
        seconds=0.0,
    )
    return StrategyFile(origin=origin, roles=role_strategies(tree, strategy))


@pytest.fixture(scope="module")
def saved(kuhn: LoadedGame, tree: GameTree) -> StrategyFile:
    return saved_of(kuhn, tree, random_strategy(tree, 1))


@pytest.mark.parametrize("name", ["kuhn.json", "kuhn.json.gz"])
def test_a_strategy_reads_back_equal(
    kuhn: LoadedGame, tree: GameTree, saved: StrategyFile, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    write_strategy(saved, path)
    back = read_strategy(path, rules_digest=rules_digest(kuhn.sources))
    assert back.origin == saved.origin
    assert np.array_equal(
        strategy_on(tree, back).probabilities, strategy_on(tree, saved).probabilities
    )
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_the_same_strategy_gives_the_same_bytes(saved: StrategyFile, tmp_path: Path) -> None:
    for name in ("a.json.gz", "b.json.gz"):
        write_strategy(saved, tmp_path / name)
    assert (tmp_path / "a.json.gz").read_bytes() == (tmp_path / "b.json.gz").read_bytes()


@pytest.mark.parametrize("name", ["kuhn_poker", "simple_poker", "hidden_goofspiel_4"])
def test_a_player_without_the_tree_finds_all_it_needs(name: str) -> None:
    """Random games on the machine: the strategy knows every place where a role has a choice."""
    game = load(name)
    tree = build(game.machine)
    saved = saved_of(game, tree, random_strategy(tree, 2))
    rng = random.Random(3)
    asked = sum(play_by(saved, game, rng) for _ in range(30))
    assert asked >= 60


def play_by(saved: StrategyFile, game: LoadedGame, rng: random.Random) -> int:
    """Play one game with moves drawn from the strategy. Returns: how often it was asked."""
    machine = game.machine
    roles = [RoleId(role) for role in range(len(machine.roles))]
    known: list[list[ObservationText]] = [[] for _ in roles]
    state, asked = machine.initial(), 0
    while not machine.terminal(state):
        joint = []
        for role in roles:
            legal = machine.legal(state, role)
            moves = {exact_text(machine.move_term(role, move)): move for move in legal}
            if role != machine.chance_role and len(legal) > 1:
                found = saved.probabilities(machine.roles[role], known[role])
                assert found is not None
                assert found.keys() == moves.keys()
                joint.append(moves[rng.choices(list(found), list(found.values()))[0]])
                asked += 1
            else:
                joint.append(rng.choice(legal))
        for role in roles:
            percepts = machine.percepts(state, joint, role)
            known[role].append(observation_text(machine, role, Observation(joint[role], percepts)))
        state = machine.step(state, joint)
    return asked


def test_what_play_never_leads_to_has_no_probabilities(saved: StrategyFile) -> None:
    assert saved.probabilities("first", [ObservationText("noop", ("(holds joker)",))]) is None
    assert saved.probabilities("first", []) is None


def test_a_role_that_is_none_is_refused(saved: StrategyFile) -> None:
    with pytest.raises(UsageError) as caught:
        saved.probabilities("white", [])
    assert caught.value.findings[0].code == "SOL025"


def test_names_that_are_no_words_are_told_apart() -> None:
    assert exact_text(("say", "a b")) == "(say |a b|)"
    assert exact_text(("say", "a", "b")) == "(say a b)"
    assert exact_text("") == "||"


def test_the_digest_is_of_the_text_and_not_of_its_line_ends() -> None:
    assert rules_digest([Source("a", "x\ny")]) == rules_digest([Source("b", "x\r\ny")])
    assert rules_digest([Source("a", "x"), Source("a", "y")]) != rules_digest([Source("a", "xy")])


def test_a_tree_of_labels_cannot_be_saved(kuhn: LoadedGame) -> None:
    plain = from_preorder(unfold(kuhn.machine))
    with pytest.raises(UsageError) as caught:
        role_strategies(plain, uniform(plain))
    assert caught.value.findings[0].code == "SOL024"


def code_of(path: Path, **settings: Any) -> str:
    with pytest.raises(FogspielError) as caught:
        read_strategy(path, **settings)
    return caught.value.findings[0].code


def first_role(document: dict[str, Any]) -> dict[str, Any]:
    tables: dict[str, Any] = document["strategies"]["first"]
    return tables


Change = Callable[[dict[str, Any]], object]
BAD: list[tuple[str, str, Change]] = [
    ("no format", "SOL020", lambda d: d.pop("format")),
    ("a later version", "SOL021", lambda d: d.update(version=2)),
    ("no roles", "SOL020", lambda d: d.pop("roles")),
    ("roles that are numbers", "SOL020", lambda d: d.update(roles=[1, 2])),
    ("too few values", "SOL020", lambda d: d.update(values=[0])),
    ("a text for a number", "SOL020", lambda d: d.update(exploitability="small")),
    ("a yes for a number", "SOL020", lambda d: d.update(seconds=True)),
    ("a number beyond floats", "SOL020", lambda d: d.update(seconds=10**400)),
    ("a missing role", "SOL020", lambda d: d["strategies"].pop("first")),
    ("a role that is a list", "SOL020", lambda d: d["strategies"].update(first=[])),
    ("a sight of nothing", "SOL020", lambda d: first_role(d)["sights"].append([])),
    ("an unknown sight", "SOL020", lambda d: first_role(d)["knowledge"].append([0, 99])),
    ("a circle", "SOL020", lambda d: first_role(d)["knowledge"].append([99, 0])),
    ("a sight below 0", "SOL020", lambda d: first_role(d)["knowledge"].append([0, -1])),
    ("knowledge twice", "SOL020",
     lambda d: first_role(d)["knowledge"].append(first_role(d)["knowledge"][0])),
    ("an action twice", "SOL020", lambda d: first_role(d)["menus"].append(["a", "a"])),
    ("a choice twice", "SOL020",
     lambda d: first_role(d)["choices"].append(first_role(d)["choices"][0])),
    ("too few probabilities", "SOL020", lambda d: first_role(d)["choices"][0].pop()),
    ("a sum of 0.9", "SOL001",
     lambda d: first_role(d)["choices"][0].__setitem__(slice(2, 4), [0.4, 0.5])),
    ("a negative probability", "SOL001",
     lambda d: first_role(d)["choices"][0].__setitem__(slice(2, 4), [1.5, -0.5])),
]  # fmt: skip


@pytest.mark.parametrize(("code", "change"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_a_file_that_is_not_in_order_is_refused(
    saved: StrategyFile, tmp_path: Path, code: str, change: Change
) -> None:
    path = tmp_path / "strategy.json"
    write_strategy(saved, path)
    document = json.loads(path.read_text(encoding="utf-8"))
    change(document)
    path.write_text(json.dumps(document), encoding="utf-8")
    assert code_of(path) == code


@pytest.mark.parametrize(
    "data",
    [b"", b"\xff\xfe", b"[]", b"[" * 100_000, b'{"format": NaN}', b"1" * 10_000,
     gzip.compress(b"{}", mtime=0)[:-9], b"\x1f\x8b rubbish"],
)  # fmt: skip
def test_what_is_no_document_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "strategy.json"
    path.write_bytes(data)
    assert code_of(path) == "SOL020"


PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
VALUES = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner)
)


@settings(max_examples=200)
@given(data=st.data())
def test_no_change_to_a_document_makes_reading_break_down(
    saved: StrategyFile, data: st.DataObject
) -> None:
    """Some part, found by going down at random, is replaced by something else."""
    document: Any = json.loads(json.dumps(document_of(saved)))
    part = document
    while True:
        keys = list(part) if isinstance(part, dict) else list(range(len(part)))
        key = data.draw(st.sampled_from(keys))
        inner = part[key]
        if not isinstance(inner, dict | list) or not inner or data.draw(st.booleans()):
            part[key] = data.draw(VALUES)
            break
        part = inner
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "strategy.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        assert all(code.startswith("SOL") for code in refusals(path))


def refusals(path: Path) -> list[str]:
    """The codes of what is wrong with a file; any other error is the test's failure."""
    try:
        read_strategy(path)
    except FogspielError as error:
        return [finding.code for finding in error.findings]
    return []


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "packed"])
def test_a_file_beyond_the_limit_is_refused(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "strategy.json"
    path.write_bytes(pack(b" " * 1_000_000))
    assert code_of(path, max_bytes=100_000) == "SOL023"


def test_a_file_for_other_rules_is_refused(saved: StrategyFile, tmp_path: Path) -> None:
    path = tmp_path / "strategy.json"
    write_strategy(saved, path)
    assert code_of(path, rules_digest="sha256:0") == "SOL022"
    assert code_of(tmp_path / "missing.json") == "GAM002"


def test_a_strategy_for_another_tree_is_refused(saved: StrategyFile) -> None:
    other = build(load("leduc_poker").machine)
    with pytest.raises(UsageError) as caught:
        strategy_on(other, saved)
    assert caught.value.findings[0].code == "SOL001"


QUOTED = """\
(role chooser) (init start)
(<= (legal chooser (say |a b|)) (true start)) (<= (legal chooser (say a b)) (true start))
(<= (next (said ?x)) (does chooser (say ?x))) (<= (next over) (true start))
(<= terminal (true over))
(<= (goal chooser 100) (true (said ?x))) (<= (goal chooser 0) (not (true (said |a b|))))
"""


def test_actions_that_look_alike_stay_apart() -> None:
    game = load_source(Source("quoted.gdl", QUOTED))
    tree = build(game.machine)
    saved = saved_of(game, tree, random_strategy(tree, 4))
    assert set(saved.probabilities("chooser", []) or {}) == {"(say |a b|)", "(say a b)"}
