"""`fogspiel infoset`: what a role can know in a position."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from fogspiel.cli.options import FiniteRange, GameChoice, game_options
from fogspiel.cli.output import busy, json_option, print_json, print_table
from fogspiel.core.findings import UsageError
from fogspiel.core.terms import RoleId, format_term

if TYPE_CHECKING:
    from fogspiel.belief.positions import BeliefSummary, Position
    from fogspiel.belief.protocol import Belief, Histories
    from fogspiel.games.load import LoadedGame

SHOWN_FLUENTS = 20
SHOWN_STATES = 5
NESTED_HISTORIES = 50_000
MEBIBYTE = 1 << 20


@click.command()
@click.argument("game")
@click.option("--role", required=True, help="Whose information set.")
@click.option("--history", metavar="FILE", help="JSON: joint moves, or what the role did and saw.")
@click.option("--random-steps", type=click.IntRange(min=0), help="Play so many steps at random.")
@click.option("--method", default="auto", show_default=True, help="`auto`, `exact`, `csp`, …")
@click.option(
    "--count",
    type=click.IntRange(min=1),
    help="Draw so many histories. Without it, all are found if they can be.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--seconds", type=FiniteRange(min=0.01), default=30.0, show_default=True)
@click.option("--max-histories", type=click.IntRange(min=1), default=4_000_000, show_default=True)
@click.option("--memory-mb", type=click.IntRange(min=1), default=1024, show_default=True)
@game_options
@json_option
def infoset(
    game: GameChoice,
    *,
    role: str,
    history: str | None,
    random_steps: int | None,
    method: str,
    count: int | None,
    seed: int,
    seconds: float,
    max_histories: int,
    memory_mb: int,
    as_json: bool,
) -> None:
    """Find the histories of GAME that fit what a role did and saw, and how probable they are.

    `--history FILE` holds {"joints": [["(deal king)", "noop", "noop"], …]} or {"sightings":
    [{"move": "noop", "percepts": ["(holds king)"]}, …]}; without it a random game is played.
    """
    if (history is None) == (random_steps is None):
        raise click.UsageError("give either --history FILE or --random-steps N")
    loaded = game.load().loaded
    from fogspiel.belief.methods import make_belief
    from fogspiel.belief.protocol import BeliefLimits

    observer = _role(loaded, role)
    position = _position(loaded, observer, history, random_steps, seed)
    limits = BeliefLimits(histories=max_histories, bytes=memory_mb * MEBIBYTE, seconds=seconds)
    began = time.perf_counter()
    with busy("reasoning …"):
        belief = make_belief(method, loaded.machine, observer, limits, seed=seed)
        for observation in position.observations:
            belief.advance(observation)
        found = belief.sample(count, seed) if count else belief.enumerate(max_histories)
    spent = time.perf_counter() - began
    document = _document(loaded, belief, position, found, spent)
    if as_json:
        print_json(document)
    else:
        _print(loaded, position, found, document)


def _role(game: LoadedGame, name: str) -> RoleId:
    machine = game.machine
    players = [role for i, role in enumerate(machine.roles) if i != machine.chance_role]
    if name in players:
        return RoleId(machine.roles.index(name))
    is_chance = name in machine.roles
    raise UsageError.of(
        "BEL004",
        f"{name} is chance in {game.name}, and chance holds no beliefs"
        if is_chance
        else f"{game.name} has no role {name!r}",
        fix=f"its players are {', '.join(players)}",
    )


def _position(
    game: LoadedGame, role: RoleId, history: str | None, random_steps: int | None, seed: int
) -> Position:
    from pathlib import Path

    from fogspiel.belief.positions import position_after, random_history, read_position
    from fogspiel.rules.gdl.read import read_file

    if history is not None:
        return read_position(read_file(Path(history)), game.machine, role)
    course = random_history(game.machine, random_steps or 0, seed)
    return position_after(game.machine, course, role)


def _document(
    game: LoadedGame, belief: Belief, position: Position, found: Histories, seconds: float
) -> dict[str, Any]:
    import numpy as np

    distinct = len({joints.tobytes() for joints in found.joints})
    inside = None
    if position.joints is not None and found.complete:
        truth = np.array(position.joints, np.int32).reshape(found.joints.shape[1:])
        inside = bool((found.joints == truth).all(axis=(1, 2)).any())
    return {
        "game": game.name,
        "role": game.machine.roles[position.role],
        "steps": len(position.observations),
        "method": belief.method,
        "answered_by": _answering(belief),
        "found": len(found),
        "distinct": distinct,
        "complete": found.complete,
        "unbiased": found.unbiased,
        "size": belief.size(),
        "true_history_inside": inside,
        "seconds": seconds,
    }


def _print(
    game: LoadedGame,
    position: Position,
    found: Histories,
    document: dict[str, Any],
) -> None:
    from fogspiel.belief.positions import summary_of

    size = document["size"]
    of_all = f" of {size:,}" if size is not None else ""
    click.echo(
        f"{game.name}: after {document['steps']} steps {document['role']} holds "
        f"{document['distinct']:,}{of_all} histories possible "
        f"({document['answered_by']}, {document['seconds']:.3g} s)"
    )
    if not len(found):
        return
    view = summary_of(game.machine, found, SHOWN_STATES)
    _print_fluents(view)
    _print_states(game, position, view)


def _answering(belief: Belief) -> str:
    """The method that answers in the end: `auto` hands over to others."""
    from fogspiel.belief.methods import AutoBelief

    return belief.chosen if isinstance(belief, AutoBelief) else belief.method


def _print_fluents(view: BeliefSummary) -> None:
    certain = [format_term(fluent) for fluent in view.certain]
    click.echo(f"certain: {_listed(certain)}")
    rows = [[format_term(fluent), f"{share:.4f}"] for fluent, share in view.open[:SHOWN_FLUENTS]]
    if rows:
        print_table("What may hold", ("fluent", ">probability"), rows)
    if len(view.open) > SHOWN_FLUENTS:
        click.echo(f"… and {len(view.open) - SHOWN_FLUENTS:,} more")


def _print_states(game: LoadedGame, position: Position, view: BeliefSummary) -> None:
    """The most probable states, and what the other roles would know in each."""
    rows = []
    for number, state in enumerate(view.states, start=1):
        fluents = _listed([format_term(fluent) for fluent in state.fluents])
        rows.append([str(number), f"{state.probability:.4f}", fluents])
    print_table("The most probable states", (">", ">probability", "what holds there"), rows)
    others = [
        role
        for role in range(len(game.machine.roles))
        if role not in {position.role, game.machine.chance_role}
    ]
    for number, state in enumerate(view.states, start=1):
        for role in others:
            click.echo(f"in state {number}, {_nested(game, role, state.history, view)}")


def _nested(game: LoadedGame, role: int, history: Any, view: BeliefSummary) -> str:
    from fogspiel.belief.positions import nested_knowledge
    from fogspiel.belief.protocol import BeliefLimits

    name = game.machine.roles[role]
    limits = BeliefLimits(histories=NESTED_HISTORIES)
    undecided = [fluent for fluent, _ in view.open]
    known = nested_knowledge(game.machine, history, RoleId(role), undecided, limits)
    if known.size is None:
        return f"{name} would hold too many histories possible to be listed"
    knows = _listed([format_term(fluent) for fluent in known.knows])
    return f"{name} would hold {known.size:,} histories possible and know {knows}"


def _listed(texts: list[str]) -> str:
    if not texts:
        return "nothing"
    shown = ", ".join(texts[:SHOWN_FLUENTS])
    return (
        shown if len(texts) <= SHOWN_FLUENTS else f"{shown} and {len(texts) - SHOWN_FLUENTS} more"
    )
