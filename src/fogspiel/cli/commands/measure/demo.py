"""`fogspiel demo`: from rules as text to a fast game, and a random match from all sides."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import click

from fogspiel.cli.commands.rules.info import describe
from fogspiel.cli.completion import complete_game
from fogspiel.cli.options import STANDARD_INPUT, GameChoice, count_option
from fogspiel.cli.output import busy, json_option, on_terminal, print_json

if TYPE_CHECKING:
    from fogspiel import Game, History


DEFAULT_GAME = "kuhn_poker"
EXCERPT_LINES = 12
SECONDS = 1.0  #: Time for the measured playouts
SHOWN_MOVES = 5
MAX_STEPS = 40
CHUNKS = {"compiled": 100_000, "reference": 1}  #: Playouts between looks at the clock, by engine


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleSide:
    """One role's side of a step."""

    role: str
    move: str
    sees: tuple[str, ...]
    possible: Mapping[str, tuple[str, ...]]
    """Moves of each other role that look the same from here, where there are several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoMatch:
    """A match of random moves."""

    steps: tuple[tuple[RoleSide, ...], ...]
    goals: dict[str, int]
    ended: bool


@click.command()
@click.argument("game", default=DEFAULT_GAME, shell_complete=complete_game)
@count_option("--seed", least=0, default=3, help="Random seed of the match.")
@json_option
def demo(game: str, *, seed: int, as_json: bool) -> None:
    """Show what Fogspiel does with a game, from its rules to a match.

    GAME is Kuhn poker by default.
    """
    if not as_json:
        _heading(f"1. Rules are text: {game}")
        _say_first_run()
    loaded = GameChoice(game).load()
    if as_json:
        print_json(_document(loaded, seed))
        return
    _show_rules(loaded)
    _show_checks(loaded)
    _show_machine(loaded)
    _show_speed(loaded, seed)
    _show_match(loaded, seed)
    _show_next(game)


def _document(game: Game, seed: int) -> dict[str, Any]:
    playouts, seconds = _measure(game, seed)
    return {
        "info": describe(game.info()),
        "playouts": playouts,
        "seconds": seconds,
        "playouts_per_second": playouts / seconds,
        "match": asdict(random_match(game, seed)),
    }


def _say_first_run() -> None:
    if not on_terminal(stderr=True):
        _say("Loading (the first run on a machine builds native kernels: about 10 s) ...")


def _show_rules(game: Game) -> None:
    """The part of the sheet that says what is seen, as GDL-II is about that; else the beginning."""
    source = game.rules.sources[0]
    lines = source.text.splitlines()
    first = next((i for i, line in enumerate(lines) if line.startswith("(<= (sees")), 0)
    last = min(len(lines), first + EXCERPT_LINES)
    _say(f"{source.name} has {len(lines)} lines. Lines {first + 1} to {last}:")
    for line in lines[first:last]:
        click.secho(f"    {line}", fg="cyan")


def _show_checks(game: Game) -> None:
    _heading("2. They are checked")
    if not game.findings:
        _say("Structure, safety, stratification, recursion, placement, roles, names: no findings.")
    for finding in game.findings[:SHOWN_MOVES]:
        _say(f"{finding.place}{finding.code} {finding.message}")


def _show_machine(game: Game) -> None:
    _heading("3. They become a machine")
    sizes = game.sizes
    if sizes is None:
        reason = game.fallback.message if game.fallback else "it was asked for"
        _say(f"The reference reasoner plays, because {reason}.")
        return
    once = " (with the native kernels, which are built once)" if sizes.build_seconds > 1.0 else ""
    _say(
        f"{sizes.ground_rules:,} ground rules in {sizes.ground_seconds:.2f} s, "
        f"then {sizes.gates:,} AND gates in {sizes.build_seconds:.2f} s{once}. "
        "One word of the processor holds a gate of 64 playouts."
    )


def _show_speed(game: Game, seed: int) -> None:
    _heading("4. It plays at native speed")
    playouts, seconds = _measure(game, seed)
    _say(f"{playouts:,} random playouts in {seconds:.2f} s on one core:")
    click.secho(f"    {playouts / seconds:,.0f} playouts a second", bold=True)


def _measure(game: Game, seed: int) -> tuple[int, float]:
    """Playouts and seconds: as many chunks as fit about a second."""
    playouts, seconds = 0, 0.0
    with busy("playing at random …"):
        while seconds < SECONDS:
            report = game.playouts(CHUNKS[game.machine.engine], seed=seed + playouts)
            playouts, seconds = playouts + report.playouts, seconds + report.seconds
    return playouts, seconds


def _show_match(game: Game, seed: int) -> None:
    with busy("playing a match …"):
        match = random_match(game, seed)
    _heading("5. A random match, from every side")
    if not game.has_percepts:
        _say("These rules have no `sees`, so every role sees all moves.")
    for number, views in enumerate(match.steps, start=1):
        moves = ", ".join(f"{view.role} {view.move}" for view in views)
        click.secho(f"  step {number}: {moves}", bold=True)
        for view in views:
            if view.role != game.chance and game.has_percepts:
                _say(f"    {view.role} {_seen(view)}")
    _say(_result(game, match))


def _seen(view: RoleSide) -> str:
    seen = f"sees {', '.join(view.sees)}" if view.sees else "sees nothing"
    unsure = [f"{other} did {_one_of(moves)}" for other, moves in view.possible.items()]
    return f"{seen}; cannot tell whether {' and '.join(unsure)}" if unsure else seen


def _one_of(moves: Sequence[str]) -> str:
    if len(moves) > SHOWN_MOVES:
        return f"{', '.join(moves[:SHOWN_MOVES])} or {len(moves) - SHOWN_MOVES} more"
    return f"{', '.join(moves[:-1])} or {moves[-1]}"


def _result(game: Game, match: DemoMatch) -> str:
    unit = game.entry.unit if game.entry else None
    results = [
        f"{role} {goal}" + (f" ({unit.value(goal):+g} {unit.name})" if unit else "")
        for role, goal in match.goals.items()
    ]
    return f"  {'goals' if match.ended else 'broken off; goals so far'}: {', '.join(results)}"


def _show_next(game: str) -> None:
    _heading("What to try next")
    game = DEFAULT_GAME if game == STANDARD_INPUT else shlex.quote(game)
    for command, purpose in (
        ("fogspiel games", "all bundled games"),
        ("fogspiel info latent_tic_tac_toe", "what another game came to"),
        (f"fogspiel simulate {game} --playouts 10000000 --seed 1", "ten million playouts"),
        ("fogspiel demo latent_tic_tac_toe --seed 1", "another match from all sides"),
        (f"fogspiel play {game}", "a match of your own"),
        (f"fogspiel solve {game}", "what perfect play is worth"),
        ("fogspiel check my_game.gdl --play 1000", "your own rules, checked and played"),
        ("fogspiel explain", "what every finding means"),
    ):
        _say(f"    {command:<58} {purpose}")


def _heading(text: str) -> None:
    click.echo()
    click.secho(text, bold=True, fg="green")


def _say(text: str) -> None:
    click.echo(text)


def random_match(game: Game, seed: int) -> DemoMatch:
    """Play one match in which every role moves uniformly at random."""
    from numpy.random import default_rng

    rng, history = default_rng(seed), game.begin()
    steps: list[tuple[RoleSide, ...]] = []
    # A role without a move ends the match, too.
    while len(steps) < MAX_STEPS and (legal := history.state.legal) and all(legal.values()):
        joint = {role: moves[rng.integers(len(moves))] for role, moves in legal.items()}
        history = history.play(joint)
        steps.append(tuple(_side(history, role, move) for role, move in joint.items()))
    goals = game.machine.goals(history.state.bits)
    return DemoMatch(
        steps=tuple(steps),
        goals={role: goals[role.id] for role in game.players},
        ended=history.over,
    )


def _side(history: History, role: str, move: str) -> RoleSide:
    """The last step as one role saw it."""
    is_chance = role == history.game.chance
    return RoleSide(
        role=role,
        move=move,
        sees=() if is_chance else history.sees[role],
        possible={} if is_chance else history.indistinguishable(role),
    )
