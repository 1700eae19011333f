"""Sizes of the trees of plans, and of the tree of all cards beside them.

Source: Smith and Nau (1993), section 5: at most 1,301 nodes on their deals, against 6.01e44 for a
search of everything. They do not say how they came to the second figure. It is the number of ways
in which the cards can be played after the opening lead if nobody had to follow suit and a defender
could hold any card that is out of sight: 25! (13!)^2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import factorial
from pathlib import Path

import numpy as np

from fogspiel.cases.bridge.matches.deal_series import board_of
from fogspiel.cases.bridge.tignum.planning import plan_deal
from fogspiel.lab.framework.presentation import figure, markdown
from fogspiel.lab.framework.study import Document, Settings, Study
from fogspiel.lab.tignum.declarer_play import deal_blocks

PUBLISHED_LARGEST = 1_301
PUBLISHED_BRUTE_FORCE = 6.01e44


def run(settings: Settings, seed: int, first: int, last: int) -> list[Document]:
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


def table(records: Sequence[Document]) -> str:
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


def plot(records: Sequence[Document], path: Path) -> None:
    """Draw a histogram of the sizes, with the largest tree that was published."""
    with figure(path, (5.0, 3.0)) as panels:
        panels[0].hist([record["nodes"] for record in records], bins=40, color="#4477aa")
        panels[0].axvline(PUBLISHED_LARGEST, color="#cc3311", linestyle="--")
        panels[0].annotate(
            "largest of Smith and Nau (1993)", (PUBLISHED_LARGEST, 1), rotation=90, ha="right"
        )
        panels[0].set_xlabel("nodes of the trees of a plan")
        panels[0].set_ylabel("deals")


STUDY = Study(
    name="bridge-trees",
    what="Sizes of decision trees at bridge",
    source="S. J. J. Smith and D. S. Nau (1993), section 5",
    settings={"deals": 500, "block": 25},
    quick={"deals": 2, "block": 1},
    cells=deal_blocks,
    separator="-",
    run=run,
    table=table,
    plot=plot,
)
