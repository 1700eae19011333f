"""The grounder in its own process: every limit ends it, by its own code, and nothing is left."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from ground_texts import child_processes

from fogspiel.core.limits import MEBIBYTE, GroundLimits
from fogspiel.ground import gringo
from fogspiel.ground.gringo import GrounderStoppedError, parse_output, run_grounder

ROOMY = GroundLimits(seconds=20, memory_bytes=1_024 * MEBIBYTE, atoms=10**9, rules=10**9)
QUICK_SECONDS = 10.0

# Cubic and more: no limit below is far from being passed within a second or two.
NUMBERS = "n(1..400). "
MANY_RULES = NUMBERS + "{c(X)} :- n(X). r(X) :- c(X), c(Y), c(Z)."
MANY_ATOMS = NUMBERS + "a(X,Y,Z) :- n(X), n(Y), n(Z)."
SILENT = NUMBERS + "s :- n(A), n(B), n(C), n(D), A+B+C+D < 0."


def stopped(text: str, limits: GroundLimits) -> GrounderStoppedError:
    """The error that ended the grounder, soon and without leaving a process."""
    before = child_processes()
    started = time.monotonic()
    with pytest.raises(GrounderStoppedError) as stop:
        run_grounder(text, limits)
    assert time.monotonic() - started < QUICK_SECONDS
    assert child_processes() == before
    return stop.value


def test_a_small_program_is_grounded_and_its_process_gone() -> None:
    before = child_processes()
    rules, shown = parse_output(run_grounder("{a}. b :- a.", ROOMY, ["b/0"]))
    assert (rules.heads.tolist(), rules.literals.tolist()) == ([1, 2], [1])
    assert shown == {"b": 2}
    assert child_processes() == before


def test_the_clock_stops_a_grounder_that_falls_silent() -> None:
    stop = stopped(SILENT, replace(ROOMY, seconds=1.0))
    assert stop.code == "GRD001"
    assert stop.reached.endswith(" rules in 1 s")


def test_the_clock_stops_a_grounder_that_never_ceases_to_write() -> None:
    stop = stopped(MANY_RULES, replace(ROOMY, seconds=1.0))
    assert stop.code == "GRD001"
    assert int(stop.reached.split()[0].replace(",", "")) > 1_000


@pytest.mark.skipif(sys.platform != "linux", reason="the processor is limited on Linux only")
def test_processor_time_stops_a_grounder_that_falls_silent() -> None:
    stop = stopped(SILENT, replace(ROOMY, processor_seconds=1.0))
    assert (stop.code, stop.reached) == ("GRD001", "1 s of processor time")


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")
def test_memory_stops_a_grounder_that_grows() -> None:
    stop = stopped(MANY_ATOMS, replace(ROOMY, memory_bytes=32 * MEBIBYTE))
    assert (stop.code, stop.reached) == ("GRD002", "32 MiB of memory")


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")
@pytest.mark.parametrize("mebibytes", [10, 16])
def test_memory_too_small_for_the_grounder_itself_is_said_to_be_memory(mebibytes: int) -> None:
    stop = stopped("a.", replace(ROOMY, memory_bytes=mebibytes * MEBIBYTE))
    assert stop.code == "GRD002", stop.reached


def test_a_grounder_that_the_system_kills_was_short_of_memory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    worker = tmp_path / "worker.py"
    worker.write_text("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n")
    monkeypatch.setattr(gringo, "WORKER", worker)
    assert stopped("a.", ROOMY).code == "GRD002"


def test_atoms_stop_it() -> None:
    stop = stopped(MANY_ATOMS, replace(ROOMY, atoms=50_000))
    assert (stop.code, stop.reached) == ("GRD003", "more than 50,000 atoms")


def test_rules_stop_it() -> None:
    stop = stopped(MANY_RULES, replace(ROOMY, rules=50_000))
    assert (stop.code, stop.reached) == ("GRD004", "more than 50,000 rules")


def test_a_text_that_is_no_program_is_reported_with_what_the_grounder_said() -> None:
    stop = stopped("a :- ", ROOMY)
    assert stop.code == "GRD005"
    assert stop.reached


def test_an_interrupt_leaves_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> bytes:
        raise KeyboardInterrupt

    monkeypatch.setattr(gringo, "_collect", interrupt)
    before = child_processes()
    with pytest.raises(KeyboardInterrupt):
        run_grounder(SILENT, ROOMY)
    assert child_processes() == before
