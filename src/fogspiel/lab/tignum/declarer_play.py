"""Declarer play at bridge: Smith and Nau's figure 3, problem deals, random deals, sizes of trees.

- `bridge-figure-3`: figure 3 of Smith and Nau (1993), again and again, against defenders who draw
  lots. `sound` ones choose uniformly among the cards that the double-dummy solver finds best; `any`
  ones among all legal cards, which also leads to positions that no good defender reaches.
- `bridge-problems`: problem deals, each played single dummy against defenders who see all cards.
- `bridge-match`: Tignum and `pimc` declare the same random deals against such defenders. A block of
  deals is a cell, so that a long run can be interrupted.
- `bridge-trees`: sizes of the trees of plans, and of the tree of all cards beside them. Source:
  Smith and Nau (1993), section 5: at most 1,301 nodes on their deals, against 6.01e44 for a search
  of everything. They do not say how they came to the second figure. It is the number of ways in
  which the cards can be played after the opening lead if nobody had to follow suit and a defender
  could hold any card that is out of sight: 25! (13!)^2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from math import factorial
from pathlib import Path

import numpy as np

from fogspiel.cases.bridge.cards import Card, Hands, cards_of, suit_of
from fogspiel.cases.bridge.double_dummy import card_tricks
from fogspiel.cases.bridge.matches.board_play import Pairing, play_board
from fogspiel.cases.bridge.matches.deal_series import (
    DealResult,
    MatchPlan,
    board_of,
    play_numbered,
    warm_up,
)
from fogspiel.cases.bridge.matches.standings import comparisons, standings
from fogspiel.cases.bridge.pbn.files import problem_schemes, problems_of, record_of
from fogspiel.cases.bridge.table import CardTable
from fogspiel.cases.bridge.tignum.declarer import Tignum
from fogspiel.cases.bridge.tignum.planning import plan_deal
from fogspiel.cases.bridge.view import DefenderView
from fogspiel.lab.framework.presentation import figure, markdown, with_interval
from fogspiel.lab.framework.study import Cell, Document, Settings, Study, grouped

DEAL = "N:432.5432.5432.32 7.JT87.QJ97.KQJT AKQJ65.AK.AK.654 T98.Q96.T86.A987"
CLUBS, SPADES = 3, 0


class LotDefender:
    """A defender who sees all hands, and draws lots among the best cards or among all."""

    def __init__(self, *, sound: bool) -> None:
        self._sound = sound
        self._rng = np.random.default_rng(0)
        self._hands: Hands = (0, 0, 0, 0)

    def start(self, seed: int) -> None:
        """Begin a deal."""
        self._rng = np.random.default_rng(seed)

    def reveal(self, hands: Hands) -> None:
        """All four hands."""
        self._hands = hands

    def card(self, view: DefenderView) -> Card:
        """A card, drawn uniformly."""
        if not self._sound:
            return int(self._rng.choice(list(cards_of(view.legal))))
        values = card_tricks(self._hands, view.table)
        least = min(values.values())
        return int(self._rng.choice([card for card, value in values.items() if value == least]))


def run_defences(settings: Settings, seed: int, kind: str, block: int) -> list[Document]:
    """Play the deal against a block of defences."""
    size = settings["block"]
    return [_defended(kind, seed + block * size + place) for place in range(size)]


def _defended(kind: str, seed: int) -> Document:
    record = record_of(DEAL, "5S", "S", "D6")
    defenders = [LotDefender(sound=kind == "sound") for _ in range(2)]
    played = play_board(record, Tignum(), defenders, seed=seed)
    return {
        "kind": kind,
        "seed": seed,
        "tricks": played.tricks,
        "made": played.is_made,
        "ruffed": ruffs_in_dummy(played.table) > 0,
    }


def ruffs_in_dummy(table: CardTable) -> int:
    """The number of clubs that were ruffed with dummy's trumps."""
    replay, count = CardTable.start(table.contract), 0
    for card in table.history:
        led = suit_of(replay.trick[0]) if replay.trick else SPADES
        at_dummy = replay.turn == table.contract.dummy
        count += at_dummy and led == CLUBS and suit_of(card) == SPADES
        replay = replay.play(card)
    return count


def defences_table(records: Sequence[Document]) -> str:
    """Contracts made by kind of defenders, and those made by a club ruff."""
    rows = [
        [kind, str(len(own)), *(str(sum(r[key] for r in own)) for key in ("made", "ruffed"))]
        for kind, own in grouped(records, "kind").items()
    ]
    return markdown(["defenders", "defences", "made", "with a club ruff in dummy"], rows)


FIGURE_3 = Study(
    name="bridge-figure-3",
    what="Five spades by a club ruff, against many defences",
    source="S. J. J. Smith and D. S. Nau (1993), figure 3: made by a club ruff in dummy",
    settings={"kinds": ("sound", "any"), "defences": 150, "block": 15},
    quick={"defences": 2, "block": 2},
    cells=lambda settings: [
        (kind, block)
        for kind in settings["kinds"]
        for block in range(settings["defences"] // settings["block"])
    ],
    run=run_defences,
    table=defences_table,
)


def run_problems(settings: Settings, seed: int, scheme: str, declarer: str) -> list[Document]:
    """Play every deal of a scheme, once with each seed."""
    pairing = Pairing(declarer=declarer, defence="double-dummy", objective="contract")
    return [
        {
            "scheme": scheme,
            "declarer": declarer,
            "board": record.number,
            "contract": str(record.contract),
            "solved": [
                pairing.play(record, seed + attempt).is_made
                for attempt in range(settings["attempts"])
            ],
        }
        for record in problems_of(scheme)
    ]


def problems_table(records: Sequence[Document]) -> str:
    """Solved deals by scheme and declarer; the sum over attempts, and which boards were missed."""
    names = list(grouped(records, "declarer"))
    rows = []
    for scheme in [*grouped(records, "scheme"), ""]:
        row = [scheme or "all"]
        for name in names:
            mine = [r for r in records if r["declarer"] == name and scheme in ("", r["scheme"])]
            solved = sum(sum(record["solved"]) for record in mine)
            tries = sum(len(record["solved"]) for record in mine)
            missed = [str(r["board"]) for r in mine if scheme and not all(r["solved"])]
            note = f" (not always: {', '.join(missed)})" if missed else ""
            share = f", {solved / tries:.1%}" if tries and not scheme else ""
            row.append(f"{solved} of {tries}{share}{note}")
        rows.append(row)
    return markdown(["scheme", *names], rows)


PROBLEMS = Study(
    name="bridge-problems",
    what="Problem deals of declarer play, single dummy",
    source="our own deals; the schemes are those of books on declarer play",
    settings={"schemes": (), "declarers": ("tignum", "pimc:50"), "attempts": 2},
    quick={"schemes": ("simple-squeeze",), "declarers": ("tignum",), "attempts": 1},
    cells=lambda settings: [
        (scheme, declarer)
        for scheme in settings["schemes"] or problem_schemes()
        for declarer in settings["declarers"]
    ],
    run=run_problems,
    table=problems_table,
)


def deal_blocks(settings: Settings) -> list[Cell]:
    """Numbers of the first and the last deal of each block.

    Every deal follows from the seed of the study and its own number, so that blocks change nothing.
    """
    deals, block = settings["deals"], settings["block"]
    return [(first, min(first + block, deals) - 1) for first in range(0, deals, block)]


def run_deals(settings: Settings, seed: int, first: int, last: int) -> list[Document]:
    """Let every declarer play a block of deals."""
    plan = MatchPlan(
        deals=settings["deals"],
        seed=seed,
        declarers=tuple(settings["declarers"]),
        defence=settings["defence"],
        objective="tricks",
    )
    warm_up(plan.declarers)
    deals = range(first, last + 1)
    return [asdict(result) for number in deals for result in play_numbered(plan, number)]


def deals_table(records: Sequence[Document]) -> str:
    """Tricks lost and times of each declarer; then every pair compared deal by deal."""
    results = [DealResult(**{**r, "free_seconds": tuple(r["free_seconds"])}) for r in records]
    rows = [
        [
            standing.declarer,
            str(standing.deals),
            with_interval(standing.lost.value, standing.lost.interval, 3),
            str(standing.made),
            f"{1000 * standing.times.mean:.1f}",
            f"{1000 * standing.times.p95:.0f}",
            f"{1000 * standing.times.longest:.0f}",
        ]
        for standing in standings(results)
    ]
    head = ["declarer", "deals", "tricks lost a deal", "made", "ms a choice", "95 %", "most"]
    verdicts = [f"- {pair.verdict[0].upper()}{pair.verdict[1:]}." for pair in comparisons(results)]
    return "\n".join([markdown(head, rows), "", *verdicts])


RANDOM_DEALS = Study(
    name="bridge-match",
    what="Tignum and double-dummy sampling on random deals",
    source="our own; the declarer is that of S. J. J. Smith and D. S. Nau (1993), section 5",
    settings={
        "deals": 500,
        "block": 10,
        "declarers": ("tignum", "tignum:6", "pimc:50", "pimc:6"),
        "defence": "double-dummy",
    },
    quick={"deals": 2, "block": 1, "declarers": ("tignum:4", "pimc:2"), "defence": "natural"},
    cells=deal_blocks,
    separator="-",
    run=run_deals,
    table=deals_table,
)


PUBLISHED_LARGEST = 1_301
PUBLISHED_BRUTE_FORCE = 6.01e44


def run_plans(settings: Settings, seed: int, first: int, last: int) -> list[Document]:
    """Plan a block of deals, each after a natural lead."""
    return [_planned(seed, number) for number in range(first, last + 1)]


def _planned(seed: int, number: int) -> Document:
    plan = plan_deal(board_of(seed, number), seed=number)
    return {
        "deal": number,
        "contract": str(plan.record.contract),
        "nodes": plan.nodes,
        "stages": len(plan.stages),
        "largest_trick": max((stage.nodes for stage in plan.stages), default=0),
        "schemes": [stage.scheme.title for stage in plan.stages],
    }


def brute_force_leaves() -> int:
    """Ways to play the cards after the opening lead, as a search without knowledge sees them."""
    return factorial(25) * factorial(13) ** 2


def brute_force_nodes() -> int:
    """Nodes of that tree with the root, when hands play in turn: dummy, a defender, declarer."""
    unseen, ours = 25, [13, 13]
    nodes = width = 1
    for card in range(51):
        place = card % 4  # 0 dummy, 1 and 3 defenders, 2 declarer
        if place % 2:
            width *= unseen
            unseen -= 1
        else:
            width *= ours[place // 2]
            ours[place // 2] -= 1
        nodes += width
    return nodes


def sizes_table(records: Sequence[Document]) -> str:
    """The distribution of sizes, and the schemes that plans are made of."""
    nodes = np.array([record["nodes"] for record in records])
    quantiles = [f"{np.quantile(nodes, share):.0f}" for share in (0.05, 0.5, 0.95)]
    head = ["", "deals", "5 %", "median", "95 %", "largest", "search of everything"]
    rows = [
        ["theirs", "", "", "", "", f"{PUBLISHED_LARGEST:,}", f"{PUBLISHED_BRUTE_FORCE:.2e}"],
        ["ours", str(len(nodes)), *quantiles, f"{nodes.max():,}", f"{brute_force_leaves():.2e}"],
    ]
    counts = Counter(title for record in records for title in set(record["schemes"]))
    schemes = [[title, str(count)] for title, count in sorted(counts.items(), key=_most_first)]
    return "\n".join(
        [
            markdown(head, rows),
            "",
            "The figure for a search of everything is the number of its leaves, 25! (13!)^2; with "
            f"all nodes on the way there are {brute_force_nodes():.2e}.",
            "",
            "In how many plans each scheme occurs:",
            "",
            markdown(["scheme", "plans"], schemes),
        ]
    )


def _most_first(item: tuple[str, int]) -> tuple[int, str]:
    return -item[1], item[0]


def plot_sizes(records: Sequence[Document], path: Path) -> None:
    """Draw a histogram of the sizes, with the largest tree that was published."""
    with figure(path, (5.0, 3.0)) as panels:
        panels[0].hist([record["nodes"] for record in records], bins=40, color="#4477aa")
        panels[0].axvline(PUBLISHED_LARGEST, color="#cc3311", linestyle="--")
        panels[0].annotate(
            "largest of Smith and Nau (1993)", (PUBLISHED_LARGEST, 1), rotation=90, ha="right"
        )
        panels[0].set_xlabel("nodes of the trees of a plan")
        panels[0].set_ylabel("deals")


TREE_SIZES = Study(
    name="bridge-trees",
    what="Sizes of decision trees at bridge",
    source="S. J. J. Smith and D. S. Nau (1993), section 5",
    settings={"deals": 500, "block": 25},
    quick={"deals": 2, "block": 1},
    cells=deal_blocks,
    separator="-",
    run=run_plans,
    table=sizes_table,
    plot=plot_sizes,
)
