"""What an installed Fogspiel must be able to do; `try_wheel.py` runs it in a new environment.

It uses the standard library and the package alone, so that it runs where nothing else is installed.
The first step that fails ends it with a traceback.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import fogspiel

FOGSPIEL = Path(sys.prefix) / "bin" / "fogspiel"

COIN = """\
(role random)
(role caller)
(init (turn toss))
(<= (legal random (toss ?side)) (true (turn toss)) (side ?side))
(<= (legal random wait) (true (turn call)))
(<= (legal caller wait) (true (turn toss)))
(<= (legal caller (call ?side)) (true (turn call)) (side ?side))
(side heads)
(side tails)
(<= (next (turn call)) (true (turn toss)))
(<= (next (lies ?side)) (does random (toss ?side)))
(<= (next right) (does caller (call ?side)) (true (lies ?side)))
(<= (next over) (true (turn call)))
(<= (sees caller right) (does caller (call ?side)) (true (lies ?side)))
(<= terminal (true over))
(<= (goal caller 100) (true right))
(<= (goal caller 0) (not (true right)))
"""
TOURNAMENT = """\
games = ["kuhn_poker"]
clock = { simulations = 1 }
players = [{ player = "random" }, { name = "other", player = "random" }]
"""


def main() -> None:
    """Run all steps, each with its time."""
    steps: list[Callable[[], str]] = [
        only_the_wheel_is_used,
        the_wheel_has_its_data,
        the_command_knows_its_version,
        games_of_all_languages_load,
        rules_of_a_file_are_checked,
        playouts_run,
        kuhn_poker_is_solved,
        players_play,
        a_player_and_a_game_are_begun,
        a_tournament_is_reported,
        the_demo_runs,
    ]
    for step in steps:
        began = time.perf_counter()
        said = step()
        name = step.__name__.replace("_", " ")
        print(f"  {time.perf_counter() - began:5.1f} s  {name}: {said}", flush=True)


def run(*arguments: str, exit_code: int = 0) -> str:
    """What the installed command prints; an error if it ends with another exit code."""
    done = subprocess.run([FOGSPIEL, *arguments], capture_output=True, text=True, check=False)
    words = " ".join(["fogspiel", *arguments])
    said = f"{words} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    assert done.returncode == exit_code, said
    return done.stdout


def answer(*arguments: str, exit_code: int = 0) -> Any:
    """The JSON document that the installed command prints."""
    return json.loads(run(*arguments, "--json", exit_code=exit_code))


def only_the_wheel_is_used() -> str:
    environment = Path(sys.prefix).resolve()
    home = Path(fogspiel.__file__).resolve().parent
    assert home.is_relative_to(environment), home
    others = [Path(place).resolve() for place in sys.path if place.endswith("-packages")]
    assert all(place.is_relative_to(environment) for place in others), others
    return str(home.relative_to(environment))


def the_wheel_has_its_data() -> str:
    files = distribution("fogspiel").files or []
    names = {file.as_posix() for file in files if Path(str(file.locate())).is_file()}
    assert len(names) == len(files), sorted({file.as_posix() for file in files} - names)
    for needed in ("py.typed", "core/codes.toml", "games/rules/kuhn_poker.gdl"):
        assert f"fogspiel/{needed}" in names, needed
    for suffix in (".gdl", ".pogddl", ".methods", ".pbn", ".toml", ".css"):
        assert any(name.endswith(suffix) for name in names), suffix
    return f"{len(names)} files"


def the_command_knows_its_version() -> str:
    version = distribution("fogspiel").version
    assert run("--version") == f"fogspiel, version {version}\n"
    assert fogspiel.__version__ == version
    return version


def games_of_all_languages_load() -> str:
    listed = answer("games")["games"]
    assert {game["name"] for game in listed} >= set(fogspiel.bundled_games())
    by_language = {game["language"]: game["name"] for game in listed if not game["parameters"]}
    for game in by_language.values():
        fogspiel.load(game)
        assert answer("info", game)["engine"]
    return f"{len(listed)} games in {', '.join(sorted(by_language))}"


def rules_of_a_file_are_checked() -> str:
    sheet = Path("coin.gdl")
    sheet.write_text(COIN, encoding="utf-8")
    assert answer("check", str(sheet)) == {"ok": True, "findings": []}
    sheet.write_text(COIN.replace("(<= terminal (true over))\n", ""), encoding="utf-8")
    (code, *_) = [found["code"] for found in answer("check", str(sheet), exit_code=1)["findings"]]
    assert run("explain", code).strip()
    return f"without an end, {code}"


def playouts_run() -> str:
    result = answer("simulate", "kuhn_poker", "--playouts", "100000", "--seed", "1")
    assert result["engine"] == "compiled"
    # Uniform random play: the payoff of 1/8 chips, within six standard errors of a mean.
    assert abs(result["mean_payoffs"]["first"] - 1 / 8) < 6 * 1.5 / 100_000**0.5, result
    return f"{result['playouts_per_second']:,.0f} playouts a second"


def kuhn_poker_is_solved() -> str:
    solution = answer("solve", "kuhn_poker")
    # Kuhn (1950), "A simplified two-person poker", Contributions to the Theory of Games 1.
    assert abs(solution["values"]["first"] + 1 / 18) < 1e-3, solution
    return f"value {solution['values']['first']:.4f}"


def players_play() -> str:
    match = ("match", "kuhn_poker", "ismcts", "random")
    played = answer(*match, "--games", "20", "--simulations", "50", "--seed", "1")
    (searching,) = [total for total in played["totals"] if total["player"] == "ismcts"]
    assert searching["games"] == searching["wins"] + searching["draws"] + searching["losses"] == 20
    return f"ismcts won {searching['wins']} of 20 games"


def a_player_and_a_game_are_begun() -> str:
    run("new", "player", "starter")
    run("new", "game", "shells")
    assert run("check", "shells.gdl") == "shells.gdl: no findings\n"
    clock = ("--games", "2", "--simulations", "1", "--isolate")
    played = answer("match", "shells.gdl", "starter.py:Starter", "random", *clock)
    assert [total["faults"] for total in played["totals"]] == [{}, {}]
    return f"{played['totals'][0]['player']} played"


def a_tournament_is_reported() -> str:
    Path("league.toml").write_text(TOURNAMENT, encoding="utf-8")
    run("tournament", "league.toml")
    run("results", "league.db", "--report", "page.html")
    page = Path("page.html").read_text(encoding="utf-8")
    assert "<style>" in page
    return f"a page of {len(page):,} characters"


def the_demo_runs() -> str:
    shown = answer("demo")
    assert shown["match"]["steps"]
    return f"a match of {len(shown['match']['steps'])} steps"


if __name__ == "__main__":
    main()
