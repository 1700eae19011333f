"""The players as Markdown."""

from __future__ import annotations

from fogspiel import available_players
from fogspiel.core.registry import Entry


def player_table() -> str:
    """All players by name, with what `fogspiel players NAME` says of each."""
    lines = ["| name | what it does | fits | source |", "|---|---|---|---|"]
    lines += [
        f"| `{player.name}` | {_description(player)} | {player.fits} | {player.source} |"
        for player in available_players()
    ]
    return "\n".join(lines) + "\n"


def _description(player: Entry) -> str:
    """What a player does in full, and what may follow its name."""
    details = f" {player.details}" if player.details else ""
    argument = f" After a colon: {player.argument}." if player.argument else ""
    return f"{player.what}.{details}{argument}"
