"""A second process finds the kernels of the search on disk, for every rule and key."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import sys
from fogspiel.core.native import CACHE
from numba.core import event
from fogspiel.core.budget import Budget
from fogspiel.core.terms import RoleId
from fogspiel.games.load import load
from fogspiel.search.mcts.algorithms import NORNS, SHODAN
from fogspiel.search.mcts.roots import first_roots
from fogspiel.search.mcts.search import Search

assert CACHE is not None
recorder = event.RecordingListener()
event.register("numba:compile", recorder)
machine = load("kuhn_poker", engine="reference").machine
for algorithm in (NORNS, SHODAN):
    search = Search(machine, RoleId(1), algorithm, seed=1)
    search.run(first_roots(machine), Budget.of(simulations=16))
names = {found.data["dispatcher"].py_func.__name__ for _, found in recorder.buffer}
print(*sorted(names & {"walk", "learn_ends"}))
"""


def test_a_second_process_compiles_no_kernel_of_the_search(tmp_path: Path) -> None:
    environment = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"}
    environment["XDG_CACHE_HOME"] = str(tmp_path)
    compiled = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env=environment, check=True, capture_output=True, text=True,
        ).stdout.split()
        for _ in range(2)
    ]  # fmt: skip
    assert compiled == [["learn_ends", "walk"], []]
