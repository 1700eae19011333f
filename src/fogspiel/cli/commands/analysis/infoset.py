"""`fogspiel infoset`: what a role can know in a position."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any

import click

from fogspiel import LimitError, UsageError
from fogspiel.cli.options import FiniteRange, GameChoice, game_options
from fogspiel.cli.output import busy, json_option, print_json, print_table

if TYPE_CHECKING:
    from fogspiel import Game, Histories, History, State, Strategy
    from fogspiel.api.position_files import SavedPosition

SHOWN_FLUENTS = 20
SHOWN_STATES = 5
NESTED_HISTORIES = 50_000
UNIFORM, VISITS, POLICY = "uniform", "visits", "policy:"
MODELS = (UNIFORM, "paranoid", VISITS)


@click.command()
@click.argument("game")
@click.option("--role", required=True, help="Whose information set.")
@click.option(
    "--history",
    metavar="FILE",
    help="JSON: joint moves, or what the role did and saw; or the record of a match.",
)
@click.option(
    "--step",
    type=click.IntRange(min=0),
    metavar="N",
    help="Stop after N steps of --history; 0 is the start.  [default: all steps]",
)
@click.option(
    "--model",
    default="uniform",
    show_default=True,
    metavar="MODEL",
    help="Opponent model: `uniform`, `paranoid`, `policy:FILE` (a strategy file), or `visits`.",
)
@click.option(
    "--simulations",
    type=click.IntRange(min=1),
    help="Simulations of the tree search for `--model visits`.  [default: 10000]",
)
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
    step: int | None,
    model: str,
    simulations: int | None,
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
    if step is not None and history is None:
        raise click.UsageError("--step counts the steps of --history FILE; give both")
    if simulations is not None and model != VISITS:
        raise click.UsageError("--simulations are those of --model visits; give both")
    loaded = game.load()
    position = _position(loaded, role, history, step, random_steps, seed)
    opponents = _opponents(loaded, model)
    began = time.perf_counter()
    with busy("reasoning …"):
        belief = position.view.belief(
            method,
            opponents=opponents,
            seconds=seconds,
            max_histories=max_histories,
            memory_mb=memory_mb,
            seed=seed,
            **({} if simulations is None else {"simulations": simulations}),
        )
        found = belief.weighted_sample(count, seed) if count else belief.enumerate(max_histories)
    document = {
        "game": loaded.name,
        "role": role,
        "steps": len(position.view),
        "method": method,
        "answered_by": belief.method,
        **({} if model == UNIFORM else {"model": model}),
        "found": len(found),
        "distinct": found.distinct,
        "complete": found.complete,
        "unbiased": found.unbiased,
        "size": belief.size,
        "true_history_inside": position.history in found
        if found.complete and position.history
        else None,
        "seconds": time.perf_counter() - began,
    }
    if as_json:
        print_json(document)
    else:
        _print(loaded, role, found, document)


def _opponents(game: Game, model: str) -> str | Strategy:
    """The opponent model that is meant. Raises an error for an unknown name, or a wrong file."""
    if model.startswith(POLICY):
        return game.strategy(model.removeprefix(POLICY))
    if model in MODELS:
        return model
    raise UsageError.of(
        "API006",
        f"there is no opponent model {model!r}",
        fix=f"use {', '.join(MODELS)}, or {POLICY}FILE",
    )


def _position(
    game: Game, role: str, file: str | None, step: int | None, random_steps: int | None, seed: int
) -> SavedPosition:
    """The position in a file, or one of random play."""
    from fogspiel.api.position_files import SavedPosition, open_position

    if role not in game.players:
        raise UsageError.of(
            "BEL004",
            f"{role} is chance in {game.name}, and chance holds no beliefs"
            if role in game.roles
            else f"{game.name} has no role {role!r}",
            fix=f"its players are {', '.join(game.players)}",
        )
    if file is not None:
        return open_position(file, game, role, step=step)
    history = game.begin().play_out(seed, random_steps)
    return SavedPosition(history.view(role), history)


def _print(game: Game, role: str, found: Histories, document: dict[str, Any]) -> None:
    size = document["size"]
    of_all = f" of {size:,}" if size is not None else ""
    click.echo(
        f"{game.name}: after {document['steps']} steps {role} holds "
        f"{document['distinct']:,}{of_all} histories possible "
        f"({document['answered_by']}, {document['seconds']:.3g} s)"
    )
    if "model" in document:
        click.echo(f"opponent model: {document['model']}")
    if not len(found):
        return
    certain = set(found.certain)
    undecided = {fact: share for fact, share in found.fluents.items() if fact not in certain}
    click.echo(f"certain: {_listed(found.certain)}")
    rows = [[fact, f"{share:.4f}"] for fact, share in list(undecided.items())[:SHOWN_FLUENTS]]
    if rows:
        print_table("What may hold", ("fluent", ">probability"), rows)
    if len(undecided) > SHOWN_FLUENTS:
        click.echo(f"… and {len(undecided) - SHOWN_FLUENTS:,} more")
    states = found.most_probable(SHOWN_STATES)
    _print_states(states, certain)
    for number, (state, _) in enumerate(states, start=1):
        history = found.leading_to(state)
        for other in game.players:
            if other != role:
                click.echo(f"in state {number}, {_nested(history, other, undecided)}")


def _print_states(states: Sequence[tuple[State, float]], certain: Set[str]) -> None:
    """The most probable states, with the facts that do not hold in all of them."""
    rows = [
        [str(number), f"{share:.4f}", _listed([fact for fact in state if fact not in certain])]
        for number, (state, share) in enumerate(states, start=1)
    ]
    print_table("The most probable states", (">", ">probability", "what holds there"), rows)


def _nested(history: History, other: str, undecided: Mapping[str, float]) -> str:
    """What another player would know, if a history were the true one."""
    try:
        belief = history.view(other).belief("exact", max_histories=NESTED_HISTORIES)
    except LimitError:
        return f"{other} would hold too many histories possible to be listed"
    knows = _listed([fact for fact in undecided if fact in belief.certain])
    return f"{other} would hold {belief.size:,} histories possible and know {knows}"


def _listed(texts: Sequence[str]) -> str:
    if not texts:
        return "nothing"
    shown = ", ".join(texts[:SHOWN_FLUENTS])
    return (
        shown if len(texts) <= SHOWN_FLUENTS else f"{shown} and {len(texts) - SHOWN_FLUENTS} more"
    )
