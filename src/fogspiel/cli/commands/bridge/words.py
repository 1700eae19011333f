"""A plan for a deal in words: the schemes in their order, and what would change them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fogspiel.cases.bridge.tignum.planning import DeclarerPlan, Stage

KINDS = {"small": "a small card", "ruff": "a trump", "throw": "a discard"}
"""What a defender is expected to play; anything else is the name of a card."""

UNSAID = "Following"
"""The title of what is no scheme: to follow suit with nothing in mind."""


def plan_words(plan: DeclarerPlan) -> list[str]:
    """What the plan promises, and then a line for each trick that has a scheme."""
    from fogspiel.cases.bridge.cards import card_sign

    promise = (
        f"On what declarer sees, {plan.tricks:.1f} tricks can be expected, and "
        f"{plan.record.contract.needed} are needed: {100 * plan.chance:.0f} % of the deals that "
        "are possible make the contract."
    )
    if plan.record.lead is None:
        promise = f"The lead is taken to be {card_sign(plan.lead)}. {promise}"
    told = [stage for stage in plan.stages if stage.scheme.title != UNSAID]
    return [promise, *map(_stage_words, told)]


def replan_words(plan: DeclarerPlan) -> list[str]:
    """When declarer would think again, trick by trick, and what always is a reason."""
    surprises = [_surprise(stage) for stage in plan.stages if stage.foreseen]
    always = "a card falls or a defender shows out that changes what the others can hold"
    return [*surprises, always]


def _stage_words(stage: Stage) -> str:
    from fogspiel.cases.bridge.cards import SEAT_NAMES, card_sign

    card = f"{card_sign(stage.card)} from {SEAT_NAMES[stage.seat]}"
    others = ", ".join(dict.fromkeys(method.title for method in stage.others))
    instead = f" Also thought of: {others}." if others else ""
    return f"Trick {stage.trick}, {card}: {stage.scheme.title}. {stage.scheme.note}{instead}"


def _surprise(stage: Stage) -> str:
    from fogspiel.cases.bridge.cards import SEAT_NAMES, card_sign, parse_card

    expected = []
    for kind in stage.foreseen:
        card = parse_card(kind)
        expected.append(KINDS.get(kind, kind) if card is None else card_sign(card))
    defender = SEAT_NAMES[(stage.seat + 1) % 4]
    return f"in trick {stage.trick}, {defender} does not play {' or '.join(expected)}"
