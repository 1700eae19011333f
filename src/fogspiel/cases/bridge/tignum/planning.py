"""The plan for a deal, from the opening lead to the last trick, before anything else is played.

The plan is made on what declarer sees. To follow it to the end, one of the possible deals is
imagined, in which the defenders play by rules of thumb; their real cards play no part. Each trick
adds its decision tree: all schemes that apply and the answers to them. Other plays of the defenders
are leaves there, and the points where declarer would plan again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fogspiel.cases.bridge import double_dummy
from fogspiel.cases.bridge.cards import Card, Hands, Seat
from fogspiel.cases.bridge.deals import BoardRecord
from fogspiel.cases.bridge.players.natural.defender import NaturalDefender
from fogspiel.cases.bridge.players.protocol import Objective
from fogspiel.cases.bridge.sampling import all_hands, sample_worlds
from fogspiel.cases.bridge.table import CardTable, without
from fogspiel.cases.bridge.tignum.declarer import Tignum, TurnReasoning
from fogspiel.cases.bridge.tignum.position import knowledge_base
from fogspiel.cases.bridge.tignum.racing import SchemeLine, lines_of
from fogspiel.cases.bridge.view import DeclarerView, DefenderView, view_of
from fogspiel.plan.task_network import Method, TaskNetwork
from fogspiel.plan.tree.building import grow, root_of
from fogspiel.plan.tree.nodes import NodeKind, PlanNode, TreeLimits

WORLDS = 16  #: Deals by which a plan is judged as a whole, and that its trees are drawn over


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One trick of the plan."""

    trick: int  #: The number of the trick, from 1 on
    seat: Seat
    card: Card  #: Our first card of the trick that was chosen
    scheme: Method
    chance: float  #: The value of the line: probability of the contract, or tricks divided by 13
    others: tuple[Method, ...]
    """Schemes that would have begun with another card, best first, each once."""
    foreseen: tuple[str, ...]
    """Kinds of cards that the next defender is expected to play: small, ruff, throw, or a name."""
    nodes: int  #: Nodes of the trick's tree


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclarerPlan:
    """A plan of declarer for a whole deal."""

    record: BoardRecord
    objective: Objective
    lead: Card
    tricks: float  #: The expected number: the mean over possible deals, double dummy
    chance: float  #: The probability that the contract is made
    stages: tuple[Stage, ...]
    imagined: CardTable  #: The play to the end in the imagined deal

    @property
    def nodes(self) -> int:
        """Nodes of all trees of the plan."""
        return sum(stage.nodes for stage in self.stages)


def plan_deal(
    record: BoardRecord, *, objective: Objective = "contract", seed: int = 0
) -> DeclarerPlan:
    """Plan a deal after the opening lead; where the record has none, after the natural one."""
    lead = natural_lead(record) if record.lead is None else record.lead
    hands = without(record.hands, record.contract.leader, lead)
    table = CardTable.start(record.contract).play(lead)
    view = view_of(hands, table, record.defenders_limits)
    worlds = sample_worlds(view, WORLDS, np.random.default_rng([seed, 0]))
    deals = all_hands(view, worlds)
    tricks = np.array([double_dummy.tricks(deal, table) for deal in deals])
    made = tricks >= record.contract.needed
    stages, end = _followed(record, view, _typical(deals, tricks, made), objective, seed)
    return DeclarerPlan(
        record=record,
        objective=objective,
        lead=lead,
        tricks=float(worlds.weights @ tricks),
        chance=float(worlds.weights @ made),
        stages=tuple(stages),
        imagined=end,
    )


def natural_lead(record: BoardRecord) -> Card:
    """The leader's opening lead by rules of thumb."""
    table = CardTable.start(record.contract)
    return NaturalDefender().card(DefenderView(table, table.turn, record.hands[table.turn], 0))


def _typical(deals: list[Hands], tricks: NDArray[np.int64], made: NDArray[np.bool_]) -> Hands:
    """The deal to imagine: one with the median of tricks among those where the contract makes.

    A plan is for the deals where it can succeed; where none is left, any will do.
    """
    among = np.flatnonzero(made) if made.any() else np.arange(len(deals))
    order = among[np.argsort(tricks[among], kind="stable")]
    return deals[int(order[(len(order) - 1) // 2])]


def _followed(
    record: BoardRecord, view: DeclarerView, hands: Hands, objective: Objective, seed: int
) -> tuple[list[Stage], CardTable]:
    """Play the plan to the end in an imagined deal, and note the scheme of each trick."""
    declarer, defender = Tignum(objective=objective), NaturalDefender()
    declarer.start(seed)
    table = view.table
    stages: list[Stage] = []
    while not table.is_over:
        seat = table.turn
        if table.is_declarers_turn:
            card = declarer.card(view_of(hands, table, record.defenders_limits))
            is_first = not stages or stages[-1].trick != table.tricks_played + 1
            if declarer.last is not None and is_first:
                stages.append(_stage(declarer.last, table))
        else:
            card = defender.card(
                DefenderView(table, seat, hands[seat], hands[table.contract.dummy])
            )
        hands, table = without(hands, seat, card), table.play(card)
    return stages, table


def _stage(decision: TurnReasoning, table: CardTable) -> Stage:
    """The scheme of a trick, and the tree that it was chosen from."""
    chosen = decision.lines[0]
    weights = decision.position.weights
    nodes = trick_tree(decision)
    line = next(line for line in lines_of(nodes[0]) if line.node.tasks == chosen.node.tasks)
    others = {line.method.title: line.method for line in decision.lines if line.card != chosen.card}
    return Stage(
        trick=table.tricks_played + 1,
        seat=table.turn,
        card=chosen.card,
        scheme=chosen.method,
        chance=chosen.mean(weights[np.flatnonzero(weights)]),
        others=tuple(method for title, method in others.items() if title != chosen.method.title),
        foreseen=tuple(answers(line)),
        nodes=len(nodes),
    )


def trick_tree(decision: TurnReasoning) -> list[PlanNode]:
    """The decision tree of a trick, over some of the worlds.

    Lines that dropped out of the race end where they were judged, after their first card.
    """
    position = decision.position
    weights = position.weights.copy()
    weights[np.flatnonzero(weights)[WORLDS:]] = 0.0
    network, limits = knowledge_base(), TreeLimits()
    root = root_of(replace(position, weights=weights, rows={}))
    grow(root, network, limits, limits.nodes)
    root.children = [line.node for line in lines_of(root)]
    kept = {line.node.tasks for line in decision.lines}
    nodes = [root]
    for child in root.children:
        nodes += _grown(child, network, limits, whole=child.tasks in kept)
    return nodes


def _grown(
    node: PlanNode, network: TaskNetwork, limits: TreeLimits, *, whole: bool
) -> list[PlanNode]:
    """A node and what follows it: everything, or its children alone."""
    grow(node, network, limits, limits.nodes)
    nodes = [node]
    for child in node.children:
        nodes += _grown(child, network, limits, whole=True) if whole else [child]
    return nodes


def answers(line: SchemeLine) -> list[str]:
    """The kinds of cards that the next defender may play to a line, as the tree has them."""
    node = line.node
    while node.kind is NodeKind.DECISION:
        node = node.children[0]
    found = (child.step.operator for child in node.children if child.step is not None)
    return list(dict.fromkeys(str(operator[2]) for operator in found if operator is not None))
