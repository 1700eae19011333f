"""What players are sent over the wire: does it depend on anything but their own moves and percepts?

Source: our own promise rather than a published table. Every bundled game is managed with random
answers, a tenth of them nonsense; all bytes that go out to a player are compared with what a player
got that had done and seen the same in another match (`play/ggp/manage/leaks`). Games that hide
something are told in both dialects of GDL-II, half of the matches each, the newer one under other
names; games that hide nothing in GDL-I.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fogspiel.core.findings import LimitError
from fogspiel.games.domains import with_domain
from fogspiel.games.library import bundled_games, resolve
from fogspiel.games.load import load_sources
from fogspiel.games.send import rules_to_send
from fogspiel.lab.framework.study import Document, Settings, Study
from fogspiel.play.ggp.manage.leaks import wire_leaks
from fogspiel.play.ggp.manage.seats import ManagedGame
from fogspiel.play.ggp.messages import ProtocolDialect


def parts(settings: Settings) -> list[str]:
    """The games."""
    return [name for name in bundled_games() if not settings["games"] or name in settings["games"]]


def run_part(settings: Settings, seed: int, part: str) -> list[Document]:
    """A record for each dialect; one that says why, where a game cannot be told in GDL."""
    try:
        game = _managed(part)
    except LimitError as error:
        return [{"game": part, "refused": error.findings[0].message}]
    dialects = (
        [ProtocolDialect.GDL2, ProtocolDialect.GDL2_OLD] if game.hides else [ProtocolDialect.GDL1]
    )
    records = []
    for dialect in dialects:
        found = wire_leaks(
            game,
            dialect,
            matches=settings["matches"] // len(dialects),
            seed=seed,
            scramble=dialect is ProtocolDialect.GDL2,
            max_steps=settings["max_steps"],
        )
        records.append(
            {
                "game": part,
                "dialect": str(dialect),
                "matches": found.matches,
                "messages": found.messages,
                "compared": found.compared,
                "leaks": found.leaks,
                "example": found.example,
            }
        )
    return records


def _managed(name: str) -> ManagedGame:
    """The game as players are told it, translated where it is not in GDL."""
    sent = rules_to_send(with_domain(resolve(name), Path(name)), name)
    game = load_sources(sent.sources)
    return ManagedGame(
        name=name, rules=sent.text, machine=game.machine, hides=game.program.has_percepts
    )


def table(records: Sequence[Document]) -> str:
    """A row for each game and dialect, then all together."""
    lines = [
        "| game | dialect | matches | messages | compared | leaks |",
        "|---|---|---|---|---|---|",
    ]
    played = [record for record in records if "refused" not in record]
    for record in played:
        counts = [f"{record[key]:,}" for key in ("matches", "messages", "compared", "leaks")]
        lines.append(f"| {record['game']} | {record['dialect']} | {' | '.join(counts)} |")
    games = len({record["game"] for record in played})
    sums = {key: sum(record[key] for record in played) for key in ("messages", "compared", "leaks")}
    lines += [
        "",
        f"{games} games, {sums['messages']:,} messages; {sums['compared']:,} of them were compared "
        f"with one that went out in another course of play, {sums['leaks']:,} differed.",
    ]
    for record in records:
        if "refused" in record:
            lines.append(f"{record['game']} cannot be told in GDL: {record['refused']}.")
    return "\n".join(lines)


STUDY = Study(
    name="wire-leaks",
    what="What players are sent depends on what they did and saw alone",
    source="our own: hidden information stays hidden",
    settings={"games": (), "matches": 1000, "max_steps": 30},
    quick={"games": ("kuhn_poker", "tic_tac_toe", "difference_9"), "matches": 20, "max_steps": 6},
    parts=parts,
    run_part=run_part,
    table=table,
)
