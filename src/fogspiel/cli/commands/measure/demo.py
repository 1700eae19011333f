"""`fogspiel demo`: from rules as text to a fast game, and a random match from all sides."""

from __future__ import annotations

import shlex
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import click

from fogspiel.cli.commands.analysis.simulate import DEFAULT_PLAYOUTS, warm_up
from fogspiel.cli.commands.rules.info import describe
from fogspiel.cli.options import STANDARD_INPUT, GameChoice
from fogspiel.cli.output import busy, json_option, on_terminal, print_json
from fogspiel.core.terms import MoveId, RoleId, format_term

if TYPE_CHECKING:
    from fogspiel.games.load import LoadedGame
    from fogspiel.machine.protocol import Machine, State


DEFAULT_GAME = "kuhn_poker"
EXCERPT_LINES = 12
SECONDS = 1.0  #: Time for the measured playouts
SHOWN_MOVES = 5
MAX_STEPS = 40
MAX_JOINTS = 2_000  #: Joint moves that are compared to find those that a role could not tell apart


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleSide:
    """One role's side of a step."""

    role: str
    move: str
    sees: tuple[str, ...]
    possible: dict[str, tuple[str, ...]]
    """Moves of each other role that look the same from here, where there are several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoMatch:
    """A match of random moves."""

    steps: tuple[tuple[RoleSide, ...], ...]
    goals: dict[str, int]
    ended: bool


@click.command()
@click.argument("game", default=DEFAULT_GAME)
@click.option("--seed", type=click.IntRange(min=0), default=3, show_default=True)
@json_option
def demo(game: str, *, seed: int, as_json: bool) -> None:
    """Show rules becoming a game that plays at native speed, and a match from all sides.

    GAME is Kuhn poker unless you name another.
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


def _document(game: LoadedGame, seed: int) -> dict[str, Any]:
    from fogspiel.machine.analysis.features import explore

    playouts, seconds = _measure(game, seed)
    kind = explore(game.machine, hides=game.hides)
    return {
        "info": describe(game, kind),
        "playouts": playouts,
        "seconds": seconds,
        "playouts_per_second": playouts / seconds,
        "match": asdict(random_match(game.machine, seed)),
    }


def _say_first_run() -> None:
    if not on_terminal(stderr=True):
        _say("Loading (the first run on a machine builds native kernels: about 10 s) ...")


def _show_rules(game: LoadedGame) -> None:
    """The part of the sheet that says what is seen, as GDL-II is about that; else the beginning."""
    lines = game.sources[0].text.splitlines()
    first = next((i for i, line in enumerate(lines) if line.startswith("(<= (sees")), 0)
    last = min(len(lines), first + EXCERPT_LINES)
    _say(f"{game.sources[0].name} has {len(lines)} lines. Lines {first + 1} to {last}:")
    for line in lines[first:last]:
        click.secho(f"    {line}", fg="cyan")


def _show_checks(game: LoadedGame) -> None:
    _heading("2. They are checked")
    if not game.findings:
        _say("Structure, safety, stratification, recursion, placement, roles, names: no findings.")
    for finding in game.findings[:SHOWN_MOVES]:
        _say(f"{finding.place}{finding.code} {finding.message}")


def _show_machine(game: LoadedGame) -> None:
    from fogspiel.machine.compiled.machine import CompiledMachine

    _heading("3. They become a machine")
    if game.ground is None or not isinstance(game.machine, CompiledMachine):
        reason = game.fallback.message if game.fallback else "it was asked for"
        _say(f"The reference reasoner plays, because {reason}.")
        return
    network = game.machine.network
    once = " (with the native kernels, which are built once)" if network.seconds > 1.0 else ""
    _say(
        f"{len(game.ground.rules.heads):,} ground rules in {game.ground.seconds:.2f} s, "
        f"then {network.gate_count:,} AND gates in {network.seconds:.2f} s{once}. "
        "One word of the processor holds a gate of 64 playouts."
    )


def _show_speed(game: LoadedGame, seed: int) -> None:
    _heading("4. It plays at native speed")
    playouts, seconds = _measure(game, seed)
    _say(f"{playouts:,} random playouts in {seconds:.2f} s on one core:")
    click.secho(f"    {playouts / seconds:,.0f} playouts a second", bold=True)


def _measure(game: LoadedGame, seed: int) -> tuple[int, float]:
    """Playouts and seconds: as many chunks as fit about a second."""
    with busy("loading the kernels of playouts …"):
        warm_up(game)
    start = game.machine.initial()[None, :]
    chunk = DEFAULT_PLAYOUTS[game.machine.engine] if game.machine.engine == "compiled" else 1
    began = time.perf_counter()
    playouts = 0
    while (seconds := time.perf_counter() - began) < SECONDS:
        game.machine.playouts(start, seed=seed + playouts, count=chunk)
        playouts += chunk
    return playouts, seconds


def _show_match(game: LoadedGame, seed: int) -> None:
    with busy("playing a match …"):
        match = random_match(game.machine, seed)
    _heading("5. A random match, from every side")
    if not game.hides:
        _say("These rules have no `sees`, so every role sees all moves.")
    for number, views in enumerate(match.steps, start=1):
        moves = ", ".join(f"{view.role} {view.move}" for view in views)
        click.secho(f"  step {number}: {moves}", bold=True)
        for view in views:
            if view.role != game.chance and game.hides:
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


def _result(game: LoadedGame, match: DemoMatch) -> str:
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


def random_match(machine: Machine, seed: int) -> DemoMatch:
    """Play one match in which every role moves uniformly at random."""
    import numpy as np

    rng = np.random.default_rng(seed)
    state = machine.initial()
    steps: list[tuple[RoleSide, ...]] = []
    while not machine.terminal(state) and len(steps) < MAX_STEPS:
        legal = [machine.legal(state, RoleId(role)) for role in range(len(machine.roles))]
        if not all(legal):
            break
        joint = tuple(moves[rng.integers(len(moves))] for moves in legal)
        sides = (_side(machine, state, legal, joint, RoleId(r)) for r in range(len(legal)))
        steps.append(tuple(sides))
        state = machine.step(state, joint)
    goals = dict(zip(machine.roles, machine.goals(state), strict=True))
    if machine.chance_role is not None:
        del goals[machine.roles[machine.chance_role]]
    return DemoMatch(steps=tuple(steps), goals=goals, ended=machine.terminal(state))


def _side(
    machine: Machine,
    state: State,
    legal: list[tuple[MoveId, ...]],
    joint: tuple[MoveId, ...],
    role: RoleId,
) -> RoleSide:
    """A step as one role saw it."""
    percepts = (machine.percept_term(role, p) for p in machine.percepts(state, joint, role))
    return RoleSide(
        role=machine.roles[role],
        move=format_term(machine.move_term(role, joint[role])),
        sees=tuple(sorted(map(format_term, percepts))),
        possible=_indistinguishable(machine, state, legal, joint, role),
    )


def _indistinguishable(
    machine: Machine,
    state: State,
    legal: list[tuple[MoveId, ...]],
    joint: tuple[MoveId, ...],
    role: RoleId,
) -> dict[str, tuple[str, ...]]:
    """Moves of the others that would have given the role the same percepts in this state."""
    import numpy as np

    others = [(joint[r],) if r == role else moves for r, moves in enumerate(legal)]
    if role == machine.chance_role or np.prod([len(moves) for moves in others]) > MAX_JOINTS:
        return {}
    grid = np.array(np.meshgrid(*others, indexing="ij"), np.int32).reshape(len(others), -1).T
    seen = machine.percepts_batch(np.repeat(state[None, :], len(grid), axis=0), grid, role)
    actual = seen[(grid == np.array(joint)).all(axis=1)][0]
    same = grid[(seen == actual).all(axis=1)]
    possible = {}
    for other, name in enumerate(machine.roles):
        found = np.unique(same[:, other]).tolist()
        terms = (machine.move_term(RoleId(other), MoveId(move)) for move in found)
        moves = tuple(sorted(map(format_term, terms)))
        if other != role and len(moves) > 1:
            possible[name] = moves
    return possible
