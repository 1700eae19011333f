"""What a role did, saw and can be sure of, as text for a terminal."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

import click

from fogspiel.cli.output import prose_width, wrapped

if TYPE_CHECKING:
    from fogspiel import Match, Percept, View
    from fogspiel.api.known import Known
    from fogspiel.api.view import ViewStep
    from fogspiel.draw.board import Layout

UNBROKEN = "\N{NO-BREAK SPACE}"


def show_known(known: Known | None, layouts: Sequence[Layout]) -> None:
    """Boards, then what stands on none of them."""
    from fogspiel.draw.board import any_cell, board_text

    if known is None:
        click.echo("Too many states are possible to tell what is certain.")
        return
    for layout in layouts:
        click.echo(board_text(layout, known))
    on_boards = any_cell(layouts)
    rest = [fluent for fluent in known.certain if not on_boards(fluent)]
    if known.states == 1:
        echo_wrapped(f"The state: {together(rest) or 'nothing else holds'}", indent=2)
    else:
        possible = f"{known.states:,} states are possible"
        echo_wrapped(f"{possible}; in all of them: {together(rest) or 'nothing'}", indent=2)


def show_own_steps(view: View, first: int, chosen: Collection[int]) -> None:
    """What a person did and saw since some step, folded where there was nothing to choose.

    first: the number of steps left out. chosen: numbers of the steps in which the person chose.
    """
    idle: list[int] = []
    for number, step in list(enumerate(view.steps, start=1))[first:]:
        if number not in chosen and not step.sees:
            idle.append(number)
            continue
        _show_idle(idle)
        idle = []
        if number in chosen:
            show_step(number, step)
        else:
            echo_wrapped(f"Step {number}: you saw {together(in_order(step.sees))}", indent=4)
    _show_idle(idle)


def _show_idle(numbers: Sequence[int]) -> None:
    """One line for steps without a choice in which nothing was seen."""
    if numbers:
        steps = (
            f"Step {numbers[0]}" if len(numbers) == 1 else f"Steps {numbers[0]} to {numbers[-1]}"
        )
        click.echo(f"{steps}: nothing to choose and nothing seen")


def show_everything(match: Match, layouts: Sequence[Layout]) -> None:
    """What happened in truth: all choices of all roles and of chance, and the last state."""
    click.echo("What happened:")
    for before, step in zip(match.histories, match.steps, strict=False):
        done = [
            f"{role} {move}" for role, move in step.moves.items() if len(before.legal[role]) > 1
        ]
        if done:
            echo_wrapped(f"  Step {step.number}: {together(done)}", indent=6)
    show_known(match.history.state.known(), layouts)


def show_step(number: int, step: ViewStep) -> None:
    """What the role did and saw in one step."""
    seen, did = together(in_order(step.sees)) or "nothing", together([step.move])
    echo_wrapped(f"Step {number}: you did {did} and saw {seen}", indent=4)


def in_order(percepts: Iterable[Percept]) -> list[Percept]:
    """Percepts in the order of the rules."""
    return sorted(percepts, key=lambda percept: percept.id)


def together(terms: Sequence[str]) -> str:
    """Terms in a row; lines are broken between them and not inside."""
    return ", ".join(term.replace(" ", UNBROKEN) for term in terms)


def echo_wrapped(text: str, *, indent: int) -> None:
    """A paragraph; lines after the first are indented."""
    click.echo(wrapped(text, indent, columns=prose_width()).replace(UNBROKEN, " "))
