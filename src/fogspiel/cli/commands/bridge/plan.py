"""`fogspiel bridge plan`: what declarer means to do after the opening lead, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import click

from fogspiel.cli.commands.bridge.boards import (
    board_argument,
    contract_option,
    lead_option,
    number_option,
    objective_option,
    record_from,
    seed_option,
)
from fogspiel.cli.output import busy, json_option, print_json

if TYPE_CHECKING:
    from fogspiel.cases.bridge.tignum.planning import DeclarerPlan, Stage


@click.command()
@board_argument
@number_option
@contract_option
@lead_option
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
    """Plan BOARD by schemes after the opening lead, and say it in words.

    The plan is made on the cards of declarer and dummy; the defenders' hands, which a file must
    have, play no part in it. Where no lead is given, the natural one of the leader is assumed.
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
    from fogspiel.cases.bridge.cards import SEATS, card_name, hand_text
    from fogspiel.cli.commands.bridge.words import plan_words, replan_words

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
    from fogspiel.cases.bridge.cards import SEATS, card_name

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
    from fogspiel.cli.commands.bridge.text import heading, pair_diagram
    from fogspiel.cli.commands.bridge.words import plan_words, replan_words

    click.secho(heading(plan.record), bold=True)
    for row in pair_diagram(plan.record.hands, plan.record.contract):
        click.echo(row)
    click.echo()
    for line in plan_words(plan):
        click.echo(line)
    click.echo(f"The decision trees of the plan have {plan.nodes:,} nodes.")
    click.echo("It is made anew when:")
    for reason in replan_words(plan):
        click.echo(f"- {reason}")
