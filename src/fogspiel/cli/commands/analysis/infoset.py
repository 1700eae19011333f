"""`fogspiel infoset`: what a role can know in a position."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any

import click

from fogspiel import LimitError, UsageError
from fogspiel.cli.completion import belief_method_names, completing
from fogspiel.cli.options import (
    GameChoice,
    count_option,
    game_argument,
    game_options,
    number_option,
    seed_option,
)
from fogspiel.cli.output import busy, json_option, print_json, print_table, say

if TYPE_CHECKING:
    from fogspiel import Game, Histories, History, State, Strategy
    from fogspiel.api.position_files import SavedPosition

SHOWN_FLUENTS = 20
SHOWN_STATES = 5
NESTED_HISTORIES = 50_000
UNIFORM, VISITS, POLICY = "uniform", "visits", "policy:"
MODEL_NAMES = (
    (UNIFORM, "moves uniformly at random"),
    ("paranoid", "sees everything and plays against the role"),
    (VISITS, "moves as often as a tree search visits them"),
)


@click.command()
@game_argument
@click.option("--role", required=True, help="Role whose information set is computed.")
@click.option(
    "--history",
    metavar="FILE",
    help="JSON file with the joint moves or with the moves and percepts of the role; or the record "
    "of a match.",
)
@count_option(
    "--step",
    least=0,
    metavar="N",
    help="Use only the first N steps of --history; 0 is the start.  [default: all steps]",
)
@click.option(
    "--model",
    default="uniform",
    show_default=True,
    metavar="MODEL",
    shell_complete=completing(lambda: MODEL_NAMES),
    help="Opponent model. uniform: random moves; paranoid: opponents see everything and play "
    "against the role; policy:FILE: a saved strategy; visits: visit counts of a tree search.",
)
@count_option(
    "--simulations",
    least=1,
    help="Simulations of the tree search of --model visits.  [default: 10000]",
)
@count_option(
    "--random-steps",
    least=0,
    metavar="N",
    help="Reach the position by N random steps from the start.",
)
@click.option(
    "--method",
    default="auto",
    show_default=True,
    shell_complete=completing(belief_method_names),
    help="Method that finds the histories: auto, exact, dfs, csp, sat, rejection, particles, tree "
    "or hyperplay.",
)
@count_option(
    "--count", least=1, metavar="N", help="Number of histories to sample.  [default: enumerate all]"
)
@seed_option
@number_option("--seconds", least=0.01, default=30.0, help="Time limit.")
@count_option(
    "--max-histories", least=1, default=4_000_000, help="Largest number of histories that is kept."
)
@count_option("--memory-mb", least=1, default=1024, help="Memory limit in megabytes.")
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
    """Compute an information set: histories and their probabilities.

    A history of GAME is possible for a role if it agrees with all moves and percepts of the role
    so far. The position comes from --history FILE or from --random-steps N. The file holds either
    the joint moves, {"joints": [["(deal king)", "noop", "noop"], …]}, or what the role did and saw,
    {"sightings": [{"move": "noop", "percepts": ["(holds king)"]}, …]}.
    """
    if (history is None) == (random_steps is None):
        raise click.UsageError("Give either --history FILE or --random-steps N.")
    if step is not None and history is None:
        raise click.UsageError("--step counts the steps of --history FILE; give both.")
    if simulations is not None and model != VISITS:
        raise click.UsageError("--simulations is for --model visits; give both.")
    loaded = game.load()
    position = _position(loaded, role, history, step, random_steps, seed)
    opponents = _opponents(loaded, model)
    began = time.perf_counter()
    with busy("computing the information set …"):
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
    if model in dict(MODEL_NAMES):
        return model
    raise UsageError.of(
        "API006",
        f"there is no opponent model {model!r}",
        fix=f"use {', '.join(dict(MODEL_NAMES))}, or {POLICY}FILE",
    )


def _position(
    game: Game, role: str, file: str | None, step: int | None, random_steps: int | None, seed: int
) -> SavedPosition:
    """The position in a file, or one of random play."""
    from fogspiel.api.position_files import SavedPosition, open_position

    if role not in game.players:
        raise UsageError.of(
            "BEL004",
            f"{role} is the chance role of {game.name} and has no information sets"
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
    count = document["distinct"]
    histories = "history is" if count == 1 and not of_all else "histories are"
    say(
        f"{game.name}: after {document['steps']} steps, {count:,}{of_all} {histories} possible "
        f"for {role} (method {document['answered_by']}, {document['seconds']:.3g} s)"
    )
    if "model" in document:
        say(f"opponent model: {document['model']}")
    if not len(found):
        return
    certain = set(found.certain)
    undecided = {fact: share for fact, share in found.fluents.items() if fact not in certain}
    say(f"Certain: {_listed(found.certain)}.")
    rows = [[fact, f"{share:.4f}"] for fact, share in list(undecided.items())[:SHOWN_FLUENTS]]
    if rows:
        print_table("Uncertain fluents", ("fluent", ">probability"), rows)
    if len(undecided) > SHOWN_FLUENTS:
        say(f"… and {len(undecided) - SHOWN_FLUENTS:,} more fluents")
    states = found.most_probable(SHOWN_STATES)
    _print_states(states, certain)
    for number, (state, _) in enumerate(states, start=1):
        history = found.leading_to(state)
        for other in game.players:
            if other != role:
                say(f"In state {number}, {_nested(history, other, undecided)}.")


def _print_states(states: Sequence[tuple[State, float]], certain: Set[str]) -> None:
    """The most probable states, with the facts that do not hold in all of them."""
    rows = [
        [str(number), f"{share:.4f}", _listed([fact for fact in state if fact not in certain])]
        for number, (state, share) in enumerate(states, start=1)
    ]
    columns = (">state", ">probability", "uncertain fluents that hold")
    print_table("Most probable states", columns, rows)


def _nested(history: History, other: str, undecided: Mapping[str, float]) -> str:
    """What another player would know, if a history were the true one."""
    try:
        belief = history.view(other).belief("exact", max_histories=NESTED_HISTORIES)
    except LimitError:
        return f"too many histories are possible for {other} to be counted"
    knows = _listed([fact for fact in undecided if fact in belief.certain])
    histories = "1 history is" if belief.size == 1 else f"{belief.size:,} histories are"
    return f"{histories} possible for {other}, who knows {knows}"


def _listed(texts: Sequence[str]) -> str:
    if not texts:
        return "nothing"
    shown = ", ".join(texts[:SHOWN_FLUENTS])
    return (
        shown if len(texts) <= SHOWN_FLUENTS else f"{shown} and {len(texts) - SHOWN_FLUENTS} more"
    )
