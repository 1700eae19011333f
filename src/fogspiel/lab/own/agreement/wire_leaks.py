"""Messages to players: do they depend on anything but the player's own moves and percepts?

Source: our own promise rather than a published table. Every bundled game is managed with random
answers, a tenth of them nonsense; all bytes that go out to a player are compared with those to a
player that had done and seen the same in another match (`play/ggp/manage/leaks`). Games that hide
something are told in both dialects of GDL-II, half of the matches each, the newer one under other
names; games that hide nothing in GDL-I.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fogspiel.core.findings import LimitError
from fogspiel.games.library import resolve
from fogspiel.games.load import load_sources, with_domain
from fogspiel.games.send import rules_to_send
from fogspiel.lab.framework.presentation import columns
from fogspiel.lab.framework.study import Document, Settings, Study, bundled_cells, grouped
from fogspiel.play.ggp.manage.leaks import wire_leaks
from fogspiel.play.ggp.manage.seats import ManagedGame
from fogspiel.play.ggp.messages import ProtocolDialect


def run(settings: Settings, seed: int, game: str) -> list[Document]:
    """Manage matches in each dialect; one record says why, where a game has no rules in GDL."""
    try:
        managed = _managed(game)
    except LimitError as error:
        return [{"game": game, "refused": error.findings[0].message}]
    dialects = (
        [ProtocolDialect.GDL2, ProtocolDialect.GDL2_OLD]
        if managed.hides
        else [ProtocolDialect.GDL1]
    )
    records = []
    for dialect in dialects:
        found = wire_leaks(
            managed,
            dialect,
            matches=settings["matches"] // len(dialects),
            seed=seed,
            scramble=dialect is ProtocolDialect.GDL2,
            max_steps=settings["max_steps"],
        )
        counts = ("matches", "messages", "compared", "leaks", "example")
        record = {"game": game, "dialect": str(dialect)}
        records.append({**record, **{key: getattr(found, key) for key in counts}})
    return records


def _managed(name: str) -> ManagedGame:
    """The game as it is sent to players, translated where it is not in GDL."""
    sent = rules_to_send(with_domain(resolve(name), Path(name)), name)
    game = load_sources(sent.sources)
    return ManagedGame(name=name, rules=sent.text, machine=game.machine, hides=game.hides)


LEAKS = columns(
    ("game", "{game}"),
    ("dialect", "{dialect}"),
    ("matches", "{matches:,}"),
    ("messages", "{messages:,}"),
    ("compared", "{compared:,}"),
    ("leaks", "{leaks:,}"),
)


def table(records: Sequence[Document]) -> str:
    """A row for each game and dialect, then all together."""
    played = [record for record in records if "refused" not in record]
    sums = {key: sum(record[key] for record in played) for key in ("messages", "compared", "leaks")}
    lines = [
        LEAKS(played),
        "",
        f"{len(grouped(played, 'game'))} games, {sums['messages']:,} messages; "
        f"{sums['compared']:,} of them were compared with one that went out in another course of "
        f"play, {sums['leaks']:,} differed.",
    ]
    lines += [
        f"{record['game']} cannot be told in GDL: {record['refused']}."
        for record in records
        if "refused" in record
    ]
    return "\n".join(lines)


STUDY = Study(
    name="wire-leaks",
    what="What players are sent depends on what they did and saw alone",
    source="our own: hidden information stays hidden",
    settings={"games": (), "matches": 1000, "max_steps": 30},
    quick={"games": ("kuhn_poker", "tic_tac_toe", "difference_9"), "matches": 20, "max_steps": 6},
    cells=bundled_cells,
    run=run,
    table=table,
)
