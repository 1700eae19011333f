"""Measurements in this process: where no limit is looked at, the start of a child shows nothing."""

from __future__ import annotations

import json
from threading import Event
from typing import Any

import pytest

from fogspiel.core.findings import FogspielError
from fogspiel.lab.benchmarks.processes import MeasurementTask, plain_record
from fogspiel.lab.benchmarks.worker import TASKS


def run_here(task: MeasurementTask, stop: Event | None = None) -> dict[str, Any]:
    """What a child would answer, its arguments and answer having been text on the way."""
    del stop
    arguments = json.loads(json.dumps(task.arguments))
    try:
        answer = {"ok": True, **TASKS[task.kind](**arguments)}
    except FogspielError as error:
        answer = {"ok": False, "findings": [plain_record(f) for f in error.findings]}
    told: dict[str, Any] = json.loads(json.dumps(answer))
    return told


def without_children(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands of `bench` measure in this process."""
    monkeypatch.setattr("fogspiel.lab.benchmarks.processes.run_task", run_here)
