"""`fogspiel bridge`: declarer play by schemes, and players to compare it with."""

from __future__ import annotations

import click

from fogspiel.cli.commands.bridge.match import match
from fogspiel.cli.commands.bridge.plan import plan
from fogspiel.cli.commands.bridge.play import play, problems
from fogspiel.cli.help import CommandGroup


@click.group(cls=CommandGroup)
def bridge() -> None:
    """Plan and play bridge deals, and compare declarers.

    All commands begin after the auction.
    BOARD is a PBN file, or a deal such as 'N:432.5432.5432.32 7.JT87.QJ97.KQJT …' together with
    --contract. The commands need the extra `bridge`: pip install 'fogspiel[bridge]'.
    """


for command in (plan, play, match, problems):
    bridge.add_command(command)
