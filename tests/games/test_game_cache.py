"""Games from the cache are the games that were put there, and nothing else is taken from it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import numpy as np
import pytest
from kept_games import SMALL, the_same

from doubtful_game import DOUBTFUL
from efg_games import kuhn_efg
from fogspiel.core.findings import FogspielError, LimitError, RulesError
from fogspiel.core.limits import GroundLimits
from fogspiel.core.source import Source
from fogspiel.games import cache
from fogspiel.games.library import game_source
from fogspiel.games.load import load, load_sources
from fogspiel.ground import program
from fogspiel.ground.program import GroundProgram
from fogspiel.machine.compiled.machine import CompiledMachine
from fogspiel.rules.clauses import Program

pytestmark = pytest.mark.usefixtures("game_cache")

ODD = DOUBTFUL + '(<= (legal white (hide "|a b|")) (true (step 9)))'
INFIX = """
role(a). init(start).
legal(a, go). legal(a, stay).
next(done) :- does(a, go). next(start) :- does(a, stay).
goal(a, 100). terminal :- true(done).
"""
LOADING = f"""
import sys, fogspiel
game = fogspiel.load("{SMALL}")
print(game.loaded.cached, *(name for name in sys.modules if name.startswith("fogspiel.")))
"""
UNNEEDED = (
    "fogspiel.belief",
    "fogspiel.ground.program",
    "fogspiel.machine.compiled.compile.network",
    "fogspiel.rules.gdl",
    "fogspiel.rules.pogddl.read",
    "fogspiel.solve",
    "fogspiel.tree",
)
"""Packages and modules that take longer to import than the cache takes to be read."""

GAMES: dict[str, Sequence[Source]] = {
    "without percepts": [game_source(SMALL)],
    "hidden": [game_source("kuhn_poker")],
    "doubtful": [Source("doubtful.gdl", ODD)],
    "pogddl": [game_source("kuhn_poker_pogddl")],
    "registers": [game_source("simple_poker_pogddl")],
    "efg": [Source("kuhn.efg", kuhn_efg())],
    "infix": [Source("infix.gdl", INFIX)],
}


@pytest.mark.parametrize("kind", GAMES)
def test_a_game_from_the_cache_is_the_same(kind: str, grounded: list[str]) -> None:
    fresh = load_sources(GAMES[kind], anew=True)
    first, second = load_sources(GAMES[kind]), load_sources(GAMES[kind])
    assert [game.cached for game in (fresh, first, second)] == [False, False, True]
    assert len(grounded) == 2
    assert the_same(first, fresh)
    assert the_same(second, fresh)
    assert second.program == fresh.program
    assert second.description == fresh.description


def test_a_game_from_the_cache_plays_the_same() -> None:
    fresh, kept = load("kuhn_poker"), load("kuhn_poker")
    start = fresh.machine.initial()[None, :]
    one, other = (game.machine.playouts(start, seed=3, count=500) for game in (fresh, kept))
    assert np.array_equal(one.goal_sums, other.goal_sums)
    assert one.steps == other.steps
    joints = fresh.machine.expand(start[0]).joints
    states = np.repeat(start, len(joints), axis=0)
    for role, _ in enumerate(fresh.roles):
        one_sees, other_sees = (
            game.machine.percepts_batch(states, joints, role)  # type: ignore[arg-type]
            for game in (fresh, kept)
        )
        assert np.array_equal(one_sees, other_sees)
    after = kept.machine.step_batch(states, joints)
    assert [kept.machine.fluent_terms(state) for state in after] == [
        fresh.machine.fluent_terms(state) for state in fresh.machine.step_batch(states, joints)
    ]


def test_a_game_from_the_cache_needs_neither_readers_nor_the_grounder() -> None:
    load(SMALL)
    said = subprocess.run(
        [sys.executable, "-c", LOADING], stdout=subprocess.PIPE, text=True, timeout=300, check=True
    ).stdout.split()
    assert said[0] == "True"
    assert "fogspiel.machine.compiled.machine" in said
    assert [name for name in said if name.startswith(UNNEEDED)] == []


def test_findings_from_the_cache_stand_at_their_place_in_the_text() -> None:
    fresh, kept = (load_sources(GAMES["doubtful"]) for _ in range(2))
    assert kept.cached
    assert kept.findings
    assert [str(finding) for finding in kept.findings] == [str(f) for f in fresh.findings]
    assert all(finding.source is kept.sources[0] for finding in kept.findings)


def test_the_ground_program_is_made_when_it_is_asked_for(grounded: list[str]) -> None:
    fresh, kept = load("kuhn_poker"), load("kuhn_poker")
    assert len(grounded) == 1
    assert fresh.ground is not None
    assert kept.ground is not None
    assert kept.ground.moves == fresh.ground.moves
    assert np.array_equal(kept.ground.rules.literals, fresh.ground.rules.literals)
    assert len(grounded) == 2
    assert isinstance(kept.machine, CompiledMachine)
    assert kept.machine.game.ground_rules == len(fresh.ground.rules.heads)


def test_anything_that_loading_depends_on_makes_another_entry(
    game_cache: Path, grounded: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = game_source(SMALL).text
    load_sources([Source("a", text)])
    load_sources([Source("a", text)], limits=GroundLimits())
    assert len(grounded) == 1
    load_sources([Source("a", text + " ")])
    load_sources([Source("b", text)])
    load_sources([Source("a", text)], limits=GroundLimits(rules=3_999_999))
    load_sources([Source("a", text)], limits=GroundLimits(seconds=49.0))
    assert len(grounded) == 5
    monkeypatch.setattr(cache, "code_digest", lambda: b"another version")
    load_sources([Source("a", text)])
    assert len(grounded) == 6
    assert len(list(game_cache.iterdir())) == 6
    assert load_sources([Source("a", text)], limits=GroundLimits()).cached


def test_the_border_between_texts_counts() -> None:
    limits = GroundLimits()
    keys = {
        cache._key(sources, limits)
        for sources in (
            [Source("a", "bc")],
            [Source("ab", "c")],
            [Source("a", "b"), Source("", "c")],
            [Source("a", ""), Source("b", "c")],
        )
    }
    assert len(keys) == 4


def test_a_change_of_the_code_changes_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = cache.code_digest()
    (tmp_path / "ground").mkdir()
    (tmp_path / "ground" / "program.py").write_text("LIMIT = 1")
    monkeypatch.setattr(cache, "PACKAGE", tmp_path)
    monkeypatch.setattr(cache, "MADE_BY", ("ground",))
    digests = {before, cache.code_digest.__wrapped__()}
    (tmp_path / "ground" / "program.py").write_text("LIMIT = 2")
    digests.add(cache.code_digest.__wrapped__())
    (tmp_path / "ground" / "program.py").rename(tmp_path / "ground" / "other.py")
    digests.add(cache.code_digest.__wrapped__())
    monkeypatch.setattr("importlib.metadata.version", lambda name: f"another {name}")
    digests.add(cache.code_digest.__wrapped__())
    assert len(digests) == 5


def test_all_code_that_makes_a_game_counts() -> None:
    for place in cache.MADE_BY:
        path = cache.PACKAGE / place
        assert path.is_file() or any(path.rglob("*.py"))


@pytest.mark.parametrize("error", [OSError, PackageNotFoundError])
def test_where_code_or_version_is_unknown_nothing_is_kept(
    error: type[Exception], game_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown() -> bytes:
        raise error

    monkeypatch.setattr(cache, "code_digest", unknown)
    assert [load(SMALL).cached for _ in range(2)] == [False, False]
    assert list(game_cache.iterdir()) == []


def test_that_rules_are_too_large_is_remembered(grounded: list[str]) -> None:
    limits = GroundLimits(rules=10)
    first, second = (load(SMALL, limits=limits) for _ in range(2))
    assert len(grounded) == 1
    assert first.fallback is not None
    assert first.fallback.code == "GRD004"
    assert second.fallback == first.fallback
    assert second.machine.engine == "reference"
    assert (second.findings, second.hides, second.cached) == (first.findings, first.hides, False)
    with pytest.raises(LimitError) as caught:
        load(SMALL, limits=limits, engine="compiled")
    assert caught.value.findings[0].code == "GRD004"
    assert load(SMALL, limits=limits).fallback == first.fallback
    assert len(grounded) == 2


@pytest.mark.parametrize(
    ("error", "code", "is_kept"),
    [
        (LimitError, "GRD001", False),  # time
        (LimitError, "GRD002", False),  # memory, which others may have taken
        (LimitError, "GRD003", True),
        (LimitError, "GRD005", False),  # clingo failed
        (LimitError, "GRD006", True),
        (RulesError, "MCH004", True),
    ],
)
def test_reasons_not_to_compile_are_kept_where_a_count_decided(
    error: type[FogspielError],
    code: str,
    is_kept: bool,
    game_cache: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(rules: Program, limits: GroundLimits | None = None) -> GroundProgram:
        raise error.of(code, "no", fix="none", source=rules.source)

    with monkeypatch.context() as patch:
        patch.setattr(program, "ground", refuse)
        first = load("kuhn_poker_pogddl")
    assert first.fallback is not None
    assert first.fallback.code == code
    assert len(list(game_cache.iterdir())) == is_kept
    second = load("kuhn_poker_pogddl")
    assert second.fallback == (first.fallback if is_kept else None)
    assert second.machine.engine == ("reference" if is_kept else "compiled")


def test_the_reference_reasoner_has_no_use_for_the_cache(game_cache: Path) -> None:
    load(SMALL, engine="reference")
    load(SMALL, anew=True)
    assert not game_cache.exists()
    load(SMALL, engine="compiled")
    assert load(SMALL, engine="auto").cached
    assert load(SMALL, engine="reference").machine.engine == "reference"
