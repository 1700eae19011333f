"""`fogspiel bridge plan`: what declarer means to do after the opening lead, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import click

from fogspiel.cases.bridge.cards import (
    SEAT_NAMES,
    SEATS,
    card_name,
    card_sign,
    hand_text,
    parse_card,
)
from fogspiel.cli.commands.bridge.boards import (
    board_options,
    heading,
    objective_option,
    pair_diagram,
    record_from,
)
from fogspiel.cli.options import seed_option
from fogspiel.cli.output import busy, json_option, print_json, say

if TYPE_CHECKING:
    from fogspiel.cases.bridge.tignum.planning import DeclarerPlan, Stage

KINDS = {"small": "a small card", "ruff": "a trump", "throw": "a discard"}
"""Kinds of cards that a defender is expected to play; anything else is the name of a card."""

UNSAID = "Following"  #: The title of methods that are no schemes: they just follow suit


@click.command()
@board_options
@objective_option("contract")
@seed_option
@json_option
def plan(
    board: str,
    *,
    number: int | None,
    contract: str | None,
    lead: str | None,
    objective: Literal["tricks", "contract"],
    seed: int,
    as_json: bool,
) -> None:
    """Plan the play of BOARD after the opening lead, and explain the plan.

    The plan uses schemes such as finesses and ruffs. It is made from the cards of declarer and
    dummy alone: a file must contain the hands of the defenders, but they are not used. If no lead
    is given, a standard lead is assumed.
    """
    from fogspiel.cases.bridge.tignum.planning import plan_deal

    record = record_from(board, number, contract, lead)
    with busy("planning …"):
        made = plan_deal(record, objective=objective, seed=seed)
    if as_json:
        print_json(_document(made, seed))
    else:
        _print(made)


def _document(plan: DeclarerPlan, seed: int) -> dict[str, Any]:
    contract = plan.record.contract
    return {
        "board": plan.record.number,
        "contract": str(contract)[:-1],
        "declarer_seat": SEATS[contract.declarer],
        "lead": card_name(plan.lead),
        "lead_is_assumed": plan.record.lead is None,
        "declarer_hand": hand_text(plan.record.hands[contract.declarer]),
        "dummy_hand": hand_text(plan.record.hands[contract.dummy]),
        "settings": {"objective": plan.objective, "seed": seed},
        "tricks": plan.tricks,
        "needed": contract.needed,
        "chance": plan.chance,
        "nodes": plan.nodes,
        "schemes": [_scheme(stage) for stage in plan.stages],
        "words": plan_words(plan),
        "replans_when": replan_words(plan),
    }


def _scheme(stage: Stage) -> dict[str, Any]:
    return {
        "name": stage.scheme.name,
        "title": stage.scheme.title,
        "note": stage.scheme.note,
        "trick": stage.trick,
        "seat": SEATS[stage.seat],
        "card": card_name(stage.card),
        "nodes": stage.nodes,
        "others": [method.name for method in stage.others],
    }


def _print(plan: DeclarerPlan) -> None:
    click.secho(heading(plan.record), bold=True)
    for row in pair_diagram(plan.record.hands, plan.record.contract):
        click.echo(row)
    click.echo()
    for line in plan_words(plan):
        say(line)
    say(f"The decision trees of the plan have {plan.nodes:,} nodes.")
    say("Declarer plans again when:")
    for reason in replan_words(plan):
        say(f"- {reason}", indent=2)


def plan_words(plan: DeclarerPlan) -> list[str]:
    """The value of the plan, and then a line for each trick that has a scheme."""
    promise = (
        f"Declarer expects {plan.tricks:.1f} tricks and needs {plan.record.contract.needed}. The "
        f"contract is made in {100 * plan.chance:.0f} % of the deals that are possible for "
        "declarer."
    )
    if plan.record.lead is None:
        promise = f"The lead is assumed to be {card_sign(plan.lead)}. {promise}"
    schemes = [stage for stage in plan.stages if stage.scheme.title != UNSAID]
    return [promise, *map(_stage_words, schemes)]


def replan_words(plan: DeclarerPlan) -> list[str]:
    """The reasons for which declarer would plan again, trick by trick, and one that always is."""
    surprises = [_surprise(stage) for stage in plan.stages if stage.foreseen]
    always = "a card falls or a defender shows out that changes what the others can hold"
    return [*surprises, always]


def _stage_words(stage: Stage) -> str:
    card = f"{card_sign(stage.card)} from {SEAT_NAMES[stage.seat]}"
    others = ", ".join(dict.fromkeys(method.title for method in stage.others))
    instead = f" Alternatives: {others}." if others else ""
    return f"Trick {stage.trick}, {card}: {stage.scheme.title}. {stage.scheme.note}{instead}"


def _surprise(stage: Stage) -> str:
    expected = []
    for kind in stage.foreseen:
        card = parse_card(kind)
        expected.append(KINDS.get(kind, kind) if card is None else card_sign(card))
    defender = SEAT_NAMES[(stage.seat + 1) % 4]
    return f"in trick {stage.trick}, {defender} does not play {' or '.join(expected)}"
