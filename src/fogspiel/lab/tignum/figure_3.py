"""Figure 3 of Smith and Nau (1993), again and again, against defenders who draw lots.

`sound` defenders choose among the cards that the double-dummy solver finds best, each as probable;
`any` ones among all legal cards, which also leads to positions that no good defender reaches.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fogspiel.cases.bridge.cards import Card, Hands, cards_of, suit_of
from fogspiel.cases.bridge.double_dummy import card_tricks
from fogspiel.cases.bridge.matches.board_play import play_board
from fogspiel.cases.bridge.pbn.files import record_of
from fogspiel.cases.bridge.table import CardTable
from fogspiel.cases.bridge.tignum.declarer import Tignum
from fogspiel.cases.bridge.view import DefenderView
from fogspiel.lab.framework.markdown import markdown
from fogspiel.lab.framework.study import Document, Settings, Study

DEAL = "N:432.5432.5432.32 7.JT87.QJ97.KQJT AKQJ65.AK.AK.654 T98.Q96.T86.A987"
CLUBS, SPADES = 3, 0


class LotDefender:
    """Sees all hands, and draws lots among the best cards or among all."""

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
        """Any of the cards that are in question."""
        if not self._sound:
            return int(self._rng.choice(list(cards_of(view.legal))))
        values = card_tricks(self._hands, view.table)
        least = min(values.values())
        return int(self._rng.choice([card for card, value in values.items() if value == least]))


def parts(settings: Settings) -> list[str]:
    """Blocks of defences of each kind."""
    blocks = range(settings["defences"] // settings["block"])
    return [f"{kind} {block}" for kind in settings["kinds"] for block in blocks]


def run_part(settings: Settings, seed: int, part: str) -> list[Document]:
    """A record for each defence."""
    kind, block = part.split()
    size = settings["block"]
    return [_played(kind, seed + int(block) * size + place) for place in range(size)]


def _played(kind: str, seed: int) -> Document:
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
    """How many clubs were ruffed with dummy's trumps."""
    replay, count = CardTable.start(table.contract), 0
    for card in table.history:
        led = suit_of(replay.trick[0]) if replay.trick else SPADES
        at_dummy = replay.turn == table.contract.dummy
        count += at_dummy and led == CLUBS and suit_of(card) == SPADES
        replay = replay.play(card)
    return count


def table(records: Sequence[Document]) -> str:
    """How often the contract was made, and how."""
    rows = []
    for kind in dict.fromkeys(record["kind"] for record in records):
        mine = [record for record in records if record["kind"] == kind]
        made = sum(record["made"] for record in mine)
        ruffed = sum(record["ruffed"] for record in mine)
        rows.append([kind, str(len(mine)), str(made), str(ruffed)])
    return markdown(["defenders", "defences", "made", "with a club ruff in dummy"], rows)


STUDY = Study(
    name="bridge-figure-3",
    what="Five spades by a club ruff, against many defences",
    source="S. J. J. Smith and D. S. Nau (1993), figure 3: made by a club ruff in dummy",
    settings={"kinds": ("sound", "any"), "defences": 150, "block": 15},
    quick={"defences": 2, "block": 2},
    parts=parts,
    run_part=run_part,
    table=table,
)
