"""What commands say on a terminal while they work, and that they say nothing elsewhere."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from fogspiel.cli import progress
from fogspiel.cli.progress import KernelNotice
from fogspiel.core import native

LOG = logging.getLogger("fogspiel.core.native")


@pytest.fixture
def log() -> Iterator[logging.Logger]:
    """The log of native kernels without what other tests left there, left as it was found."""
    handlers, level = LOG.handlers[:], LOG.level
    LOG.handlers.clear()
    yield LOG
    LOG.handlers[:] = handlers
    LOG.setLevel(level)


@pytest.mark.parametrize("watched", [True, False])
def test_a_terminal_is_told_that_kernels_are_built(
    watched: bool,
    log: logging.Logger,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(progress, "on_terminal", lambda *, stderr: watched)
    for _ in range(2):  # commands may run one after the other in one process
        KernelNotice.install()
    log.info("building")
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "building …\n" if watched else "")


def test_a_terminal_is_told_now_and_then_how_far_the_building_is(
    log: logging.Logger, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [100.0]
    monkeypatch.setattr(progress, "on_terminal", lambda *, stderr: True)
    monkeypatch.setattr("fogspiel.cli.progress.time.monotonic", lambda: now[0])
    KernelNotice.install()
    log.info(native.BUILDING)
    for built in range(1, 13):
        now[0] += 1.0
        log.debug(native.BUILT, built, now[0] - 100.0)
    lines = capsys.readouterr().err.splitlines()
    assert "once" in lines[0]
    assert lines[1:] == ["  5 kernels built, 5 s …", "  10 kernels built, 10 s …"]
