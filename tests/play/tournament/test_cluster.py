"""The same tournament on a Ray cluster of two nodes, one of which is lost midway.

Both nodes are on the loopback of this machine, in token mode: nobody else is let in.
"""

from __future__ import annotations

import importlib.util
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from fogspiel.core.findings import FogspielError
from fogspiel.lab.own.robustness.tournament_kills import processes_of
from fogspiel.play.tournament.journal import read_journal

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("ray") is None,
    reason="Ray is not installed: pip install 'fogspiel[cluster]'",
)

HOST = "127.0.0.1"
PATIENCE_SECONDS = 120.0
OBJECT_BYTES = 80_000_000
"""The least that Ray takes, nearly: matches are small."""
PLAYING = b"ray::"
"""Part of the command of a process of Ray that plays, or waits for something to play."""
PLAN = """\
name = "cluster"
games = ["kuhn_poker", "tic_tac_toe"]
repetitions = 80
[clock]
simulations = 8
[[players]]
player = "uct"
[[players]]
player = "random"
[[players]]
player = "first"
"""


def wait_until(condition: Callable[[], bool], what: str) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < until, f"{what} took too long"
        time.sleep(0.05)


@contextmanager
def node(*arguments: str, environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """A node of the cluster, in a session of its own, which is killed as a whole in the end."""
    ray = Path(sys.executable).with_name("ray")
    common = (f"--node-ip-address={HOST}", "--num-cpus=1", "--block")
    process = subprocess.Popen(
        [ray, "start", *arguments, *common, f"--object-store-memory={OBJECT_BYTES}"],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        kill_node(process)


def kill_node(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@pytest.fixture(scope="module")
def cluster() -> Iterator[tuple[str, dict[str, str], subprocess.Popen[bytes]]]:
    """The address, what must be in the environment, and the second node."""
    with socket.create_server((HOST, 0)) as free:
        port = free.getsockname()[1]
    environment = {
        **os.environ,
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
        "RAY_USAGE_STATS_ENABLED": "0",
    }
    address = f"{HOST}:{port}"
    with ExitStack() as stack:
        # Paths of sockets must be short.
        place = stack.enter_context(tempfile.TemporaryDirectory(prefix="ray", dir="/tmp"))
        head = (f"--port={port}", f"--temp-dir={place}", "--head", "--include-dashboard=false")
        stack.enter_context(node(*head, environment=environment))
        wait_until(lambda: is_open(port), "the head")
        second = stack.enter_context(node(f"--address={address}", environment=environment))
        yield address, environment, second


def is_open(port: int) -> bool:
    try:
        socket.create_connection((HOST, port), timeout=1).close()
    except OSError:
        return False
    return True


def run(folder: Path, *arguments: str, environment: dict[str, str]) -> subprocess.Popen[str]:
    (folder / "plan.toml").write_text(PLAN)
    return subprocess.Popen(
        [sys.executable, "-m", "fogspiel.cli", "tournament", "plan.toml", *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def results_so_far(folder: Path) -> int:
    try:
        with read_journal(folder / "plan.db") as journal:
            return len(journal.finished())
    except FogspielError:
        return 0


def test_a_cluster_gives_the_same_table_though_a_process_and_a_node_are_lost(
    cluster: tuple[str, dict[str, str], subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    address, environment, second = cluster
    far, near = tmp_path / "far", tmp_path / "near"
    for folder in (far, near):
        folder.mkdir()
    on_cluster = run(far, "--cluster", address, environment=environment)
    try:
        wait_until(lambda: results_so_far(far) >= 20, "the first results")
        wait_until(lambda: bool(processes_of(second.pid, PLAYING)), "the second node")
        os.kill(processes_of(second.pid, PLAYING)[0], signal.SIGKILL)
        wait_until(lambda: results_so_far(far) >= 60, "more results")
        kill_node(second)
        assert results_so_far(far) < 960
        printed, said = on_cluster.communicate(timeout=PATIENCE_SECONDS)
    finally:
        on_cluster.kill()
    assert on_cluster.returncode == 0, said
    alone, _ = run(near, environment=dict(os.environ)).communicate(timeout=PATIENCE_SECONDS)
    assert printed == alone
    assert printed.startswith("cluster: 960 of 960 matches played\n")


def test_a_cluster_that_is_not_there_is_told(tmp_path: Path) -> None:
    with socket.create_server((HOST, 0)) as free:
        port = free.getsockname()[1]
    environment = {**os.environ, "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    process = run(tmp_path, "--cluster", f"{HOST}:{port}", environment=environment)
    _, said = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 4
    assert "TOU014" in said
