"""Help texts: whole sentences in groups, names that are never broken, and a text for everything."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner
from commands import run

from fogspiel.cli.app import SECTIONS, main
from fogspiel.cli.help import purpose

NARROW = 80


def commands_of(group: click.Group, *path: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command of a group and of the groups inside, with the words that name it."""
    for name, command in group.commands.items():
        yield (*path, name), command
        if isinstance(command, click.Group):
            yield from commands_of(command, *path, name)


COMMANDS = dict(commands_of(main))
NAMES = [" ".join(path) for path in COMMANDS]


def help_of(*path: str) -> str:
    """The help page of a command on a terminal of 80 columns."""
    result = CliRunner().invoke(main, [*path, "--help"], terminal_width=NARROW)
    assert result.exit_code == 0
    return result.output


def words_of(text: str) -> list[str]:
    return text.replace("\b", "").split()


def test_commands_stand_in_groups_with_whole_sentences() -> None:
    output = help_of()
    named = [name for names in SECTIONS.values() for name in names]
    assert sorted(named) == sorted(main.commands)
    plain = " ".join(output.split())
    for heading, names in SECTIONS.items():
        assert f"\n{heading}:\n" in output
        for name in names:
            assert f"{name} {purpose(main.commands[name])}" in plain
    assert "..." not in output.split("Games and rules")[1]


@pytest.mark.parametrize("name", ["new", "bench", "bridge"])
def test_groups_inside_show_whole_sentences_too(name: str) -> None:
    plain = " ".join(help_of(name).split())
    group = main.commands[name]
    assert isinstance(group, click.Group)
    assert all(f"{own} {purpose(command)}" in plain for own, command in group.commands.items())


@pytest.mark.parametrize("name", NAMES)
def test_no_word_of_a_help_page_is_broken(name: str) -> None:
    path = tuple(name.split())
    command, output = COMMANDS[path], help_of(*path)
    assert max(len(line) for line in output.splitlines()) <= NARROW
    shown = output.split()
    written = words_of(command.help or "")
    for option in command.params:
        if isinstance(option, click.Option):
            written += [*option.opts, *words_of(option.help or "")]
    # Click writes a comma behind all spellings of an option but the last.
    bare = {word.rstrip(",") for word in shown} | set(shown)
    assert [word for word in written if word not in bare and "/" not in word] == []


@pytest.mark.parametrize("name", NAMES)
def test_everything_has_a_text_of_whole_sentences(name: str) -> None:
    command = COMMANDS[tuple(name.split())]
    assert re.fullmatch(r"[A-Z].*\.", purpose(command), re.DOTALL)
    for option in command.params:
        if isinstance(option, click.Option):
            text = re.sub(r"  \[default: .*\]$", "", option.help or "", flags=re.DOTALL)
            assert re.fullmatch(r"[A-Z].*\.", text, re.DOTALL), (name, option.name, text)


def test_the_epilogue_says_what_a_game_is_and_what_exit_codes_mean() -> None:
    plain = " ".join(run("--help").output.split())
    assert "GAME is the name of a bundled game" in plain
    assert "2 wrong usage" in plain
