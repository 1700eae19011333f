"""`fogspiel games`, `players` and `explain`: a line for each entry, or everything about one."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import asdict

import click

from fogspiel import UsageError, bundled_games, finding_codes, game_families
from fogspiel.cli.commands.rules.show import entry_record, print_entry
from fogspiel.cli.completion import bundled_names, code_names, completing, player_names
from fogspiel.cli.output import (
    LIST_WIDTH,
    json_option,
    print_json,
    print_names,
    say,
    wrapped,
)

KINDS = {
    "perfect-information": "Perfect information",
    "simultaneous": "Simultaneous moves",
    "hidden-information": "Hidden information",
}
"""Kinds of games by their tags: a game belongs to the last that it has."""


@click.command()
@click.argument("name", required=False, shell_complete=completing(bundled_names))
@json_option
def games(*, name: str | None, as_json: bool) -> None:
    """List the bundled games, or describe the game NAME.

    NAME may also be a family of games such as hex, whose members have parameters.
    """
    from fogspiel.api.rules.listings import family_member

    entries = bundled_games()
    if name is not None and name not in entries and name in game_families():
        _describe_family(name, as_json=as_json)
    elif name is not None:
        entry = entries.get(name)
        if entry is None:
            known = [*entries, *game_families()]
            raise _unknown("GAM001", "bundled game", name, known, "`fogspiel games` lists them")
        if as_json:
            print_json(entry_record(entry))
        else:
            print_entry(entry)
            if name in game_families():
                say(f"There is also a family of this name: {family_member(name).name}.")
    elif as_json:
        records = [entry_record(entry) for entry in entries.values()]
        print_json({"games": records, "families": game_families()})
    else:
        _list_games()


def _list_games() -> None:
    """A line for each game under the heading of its kind, and the families."""
    entries = bundled_games().values()
    kinds: dict[str, list[tuple[str, str]]] = {heading: [] for heading in KINDS.values()}
    for entry in entries:
        (*_, kind) = (KINDS[tag] for tag in KINDS if tag in entry.tags)
        kinds[kind].append((entry.name, entry.title))
    width = max(len(entry.name) for entry in entries)
    for heading, listed in kinds.items():
        print_names(heading, [(f"{name:{width}}", title) for name, title in listed])
        click.echo()
    _say_below(f"Families with parameters: {', '.join(game_families())}.")
    _say_below(
        "`fogspiel games NAME` describes a game or a family, `fogspiel show NAME` prints the "
        "rules. A member of a family is written with its parameters: `fogspiel show 'hex(5)'`."
    )


def _describe_family(name: str, *, as_json: bool) -> None:
    from fogspiel.api.rules.listings import family_member

    family = family_member(name)
    if as_json:
        print_json({"family": name, "call": family.name, "what": family.what})
        return
    click.secho(f"{family.name}: a family of games", bold=True)
    say(family.what)
    members = [own.name for own in bundled_games().values() if own.family == name]
    if members:
        say(f"Bundled members: {', '.join(members)}.")


@click.command()
@click.argument("name", required=False, shell_complete=completing(player_names))
@json_option
def players(*, name: str | None, as_json: bool) -> None:
    """List the players, or describe the player NAME.

    A description says how the player chooses its moves, which games it fits, where it comes from,
    and what may follow its name.
    """
    from fogspiel import available_players, leaf_evaluations

    known = {player.name: player for player in available_players()}
    if name is not None:
        player = known.get(name.partition(":")[0])
        if player is None:
            hint = "`fogspiel players` lists all players"
            raise _unknown("PLY002", "player", name, list(known), hint)
        if as_json:
            print_json(asdict(player))
        else:
            _describe_player(asdict(player))
        return
    evaluations = [{"name": own.name, "what": own.what} for own in leaf_evaluations()]
    if as_json:
        records = [asdict(player) for player in known.values()]
        print_json({"players": records, "evaluations": evaluations})
        return
    print_names("Players", [(player.name, player.what) for player in known.values()])
    click.echo()
    print_names("Leaf evaluations", [(own["name"], own["what"]) for own in evaluations])
    click.echo()
    _say_below(
        "`fogspiel players NAME` describes a player. A leaf evaluation scores a simulation where "
        "it leaves the tree, in place of a random playout: uct:mobility; uct:mobility,share=0.5 "
        "takes the mean of both; uct:mobility,steps=4 makes four random steps first."
    )
    _say_below(
        "A class of your own is a player too: FILE.py:Class or package.module:Class, perhaps with "
        "settings, as in FILE.py:Class,depth=3. `fogspiel new player NAME` writes one to start "
        "from."
    )


def _describe_player(player: Mapping[str, str]) -> None:
    click.secho(f"{player['name']}: {player['what']}", bold=True)
    if player["details"]:
        say(player["details"])
    labels = {"fits": "fits:", "source": "source:", "argument": f"after {player['name']}:"}
    for key, label in labels.items():
        if player[key]:
            say(f"{label} {player[key]}", indent=2)


@click.command()
@click.argument("code", required=False, shell_complete=completing(code_names))
@json_option
def explain(code: str | None, *, as_json: bool) -> None:
    """Explain the code of an error or a warning, or list all codes.

    An explanation gives the meaning of CODE, an example, and what to do.
    """
    codes = finding_codes()
    if code is None:
        if as_json:
            print_json({"codes": [asdict(entry) for entry in codes.values()]})
        else:
            print_names(None, [(entry.code, entry.title) for entry in codes.values()])
        return
    entry = codes.get(code.strip().upper())
    if entry is None:
        raise _unknown("CLI001", "code", code, list(codes), "`fogspiel explain` lists all codes")
    if as_json:
        print_json(asdict(entry))
        return
    click.secho(f"{entry.code}: {entry.title}", bold=True)
    click.echo()
    say(entry.meaning)
    click.echo()
    if entry.example:
        click.echo("Example:")
        click.echo("\n".join(f"    {line}" for line in entry.example.splitlines()) + "\n")
    say(f"What to do: {entry.remedy}")


def _say_below(text: str) -> None:
    """Print sentences below a list, as narrow as the list wherever they are printed."""
    click.echo(wrapped(text, columns=LIST_WIDTH))


def _unknown(code: str, noun: str, word: str, known: Iterable[str], hint: str) -> UsageError:
    """The error for a name that is not known. hint: what to do where no known name is like it."""
    by_plain_name = {name.lower(): name for name in known}
    close = difflib.get_close_matches(word.strip().lower(), by_plain_name, n=3, cutoff=0.6)
    fix = f"did you mean {' or '.join(by_plain_name[name] for name in close)}?" if close else hint
    return UsageError.of(code, f"there is no {noun} {word!r}", fix=fix)
