"""Results kept for each machine: computed once, dropped with the machine, retried with more."""

from __future__ import annotations

import gc

from fogspiel.games.load import load
from fogspiel.machine.memo import Attempts, MachineMemo, once_per_machine
from fogspiel.machine.protocol import Machine


def test_a_function_is_called_once_for_each_machine_and_argument() -> None:
    calls = []

    @once_per_machine
    def size(machine: Machine, factor: int = 1) -> int:
        calls.append(factor)
        return factor * len(machine.roles)

    first, second = load("tic_tac_toe").machine, load("kuhn_poker").machine
    assert [size(first), size(first), size(second), size(first, 2), size(first, factor=2)] == [
        2, 2, 3, 4, 4,
    ]  # fmt: skip
    assert calls == [1, 1, 2, 2]


def test_a_value_goes_with_its_machine() -> None:
    memo: MachineMemo[list[int]] = MachineMemo()
    kept: list[list[int]] = []
    machine = load("tic_tac_toe").machine
    kept.append(memo.once(machine, list))
    assert memo.get(machine) is kept[0]
    assert memo.keep(machine, [1]) == memo.get(machine) == memo.once(machine, list) == [1]
    del machine
    gc.collect()
    assert len(memo._values) == 0


def test_an_attempt_is_repeated_only_with_more_effort_than_failed() -> None:
    machine = load("tic_tac_toe").machine
    attempts: Attempts[str] = Attempts()
    tried: list[int] = []

    def find(effort: int, key: int = 0) -> str | None:
        def attempt() -> str | None:
            tried.append(effort)
            return "found" if effort >= 10 else None

        return attempts.find(machine, effort, attempt, key)

    assert [find(5), find(4), find(5), find(7), find(10), find(3)] == [
        None, None, None, None, "found", "found",
    ]  # fmt: skip
    assert tried == [5, 7, 10]
    assert find(6, key=1) is None
