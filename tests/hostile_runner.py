"""Run every hostile case in one process of limited memory, and print what came out."""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from fogspiel.core.findings import Finding, FogspielError, Severity
from fogspiel.rules.gdl.check.checks import check
from fogspiel.rules.gdl.read import read_description, read_file
from hostile_cases import CASES, MEMORY_BYTES, HostileCase


def findings_of(path: Path) -> list[Finding]:
    try:
        description, findings = read_description(read_file(path))
        return findings + check(description)
    except FogspielError as error:
        return list(error.findings)


def outcome(case: HostileCase, path: Path) -> dict[str, object]:
    path.write_bytes(case.text())
    start = time.process_time()
    findings = findings_of(path)
    seconds = time.process_time() - start
    return {
        "codes": sorted({finding.code for finding in findings}),
        "errors": sorted({f.code for f in findings if f.severity is Severity.ERROR}),
        "printed": max((len(str(finding)) for finding in findings), default=0),
        "seconds": seconds,
    }


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            result = outcome(case, Path(folder) / "case.gdl")
            print(json.dumps({"name": case.name, **result}), flush=True)


if __name__ == "__main__":
    main()
