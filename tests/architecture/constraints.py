"""The file of tested versions: `make constraints` writes it with this program, and tests read it.

    python tests/architecture/constraints.py

pip is asked, in a virtual environment without any other package, what it would install for all that
the Makefile installs, the requirements of the build included. Nothing of it is installed. Versions
are written without hashes and without the registry they came from, so that any mirror will do.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import tomllib
import venv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
FILE = REPOSITORY / "constraints.txt"

HEADER = """\
# Versions that Fogspiel was tested with, of everything that the Makefile installs.
# Written by `make constraints` with Python {python}, the oldest supported one, so that later ones
# find them too. `make CONSTRAINTS=` installs the latest versions instead.
"""

EXTRAS_OF_A_RECIPE = re.compile(r"'\.\[([\w,]+)\]'")
PIN = re.compile(r"^(?P<name>[\w.-]+)==(?P<version>[\w.!+-]+)$")
PIP = ("-m", "pip", "--disable-pip-version-check", "--quiet")


def main() -> int:
    """Write the file with the newest versions that fit together."""
    oldest, running = oldest_python(), ".".join(map(str, sys.version_info[:2]))
    if running != oldest:
        print(
            f"Constraints are made with Python {oldest}, the oldest supported one; this is "
            f"{running}. Name it: make constraints PYTHON=/path/to/python{oldest}",
            file=sys.stderr,
        )
        return 1
    with tempfile.TemporaryDirectory() as folder:
        environment = Path(folder) / "environment"
        venv.create(environment, with_pip=True)
        python = environment / "bin" / "python"
        wanted = [f"{REPOSITORY}[{','.join(extras())}]", *build_requirements(python)]
        report = what_pip_would_install(python, wanted, Path(folder) / "report.json")
    FILE.write_text(document(report, python=running), encoding="utf-8")
    return 0


def project() -> dict[str, Any]:
    """The project's own description of itself, `pyproject.toml`."""
    with (REPOSITORY / "pyproject.toml").open("rb") as stream:
        return tomllib.load(stream)


def oldest_python() -> str:
    """The oldest supported version of Python, such as `3.11`."""
    requires: str = project()["project"]["requires-python"]
    return requires.removeprefix(">=")


def extras() -> list[str]:
    """Every extra that a recipe of the Makefile installs, in alphabetical order."""
    recipes = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    groups = EXTRAS_OF_A_RECIPE.findall(recipes)
    return sorted({extra for group in groups for extra in group.split(",")})


def build_requirements(python: Path) -> list[str]:
    """Requirements of wheels and of editable installations, as the build backend names them.

    python: the interpreter of an environment into which the backend may be installed.
    """
    build = project()["build-system"]
    subprocess.run([python, *PIP, "install", *build["requires"]], check=True)
    program = (
        f"import json, {build['build-backend']} as backend; print(json.dumps("
        "backend.get_requires_for_build_wheel() + backend.get_requires_for_build_editable()))"
    )
    asked = subprocess.run(
        [python, "-c", program], cwd=REPOSITORY, check=True, capture_output=True, text=True
    )
    return [*build["requires"], *json.loads(asked.stdout)]


def what_pip_would_install(python: Path, wanted: Sequence[str], report: Path) -> dict[str, Any]:
    """pip's report on an installation that it did not carry out."""
    # Binary packages where there are any, even of an older version: the machine that installs
    # these versions may have no compiler.
    dry_run = ("install", "--dry-run", "--ignore-installed", "--prefer-binary")
    subprocess.run([python, *PIP, *dry_run, "--report", report, *wanted], check=True)
    read: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
    return read


def document(report: dict[str, Any], *, python: str) -> str:
    """The text of the file for a report of pip's."""
    found = {
        canonical(entry["metadata"]["name"]): entry["metadata"]["version"]
        for entry in report["install"]
        if canonical(entry["metadata"]["name"]) != project()["project"]["name"]
    }
    lines = [f"{name}=={version}\n" for name, version in sorted(found.items())]
    return HEADER.format(python=python) + "".join(lines)


def pins(lines: Iterable[str]) -> dict[str, str]:
    """Versions by name, both as the file has them; ValueError for a line that pins nothing."""
    found: dict[str, str] = {}
    for line in lines:
        if line.startswith("#"):
            continue
        match = PIN.match(line)
        if match is None:
            raise ValueError(f"a line of constraints must be NAME==VERSION; got {line!r}")
        if match["name"] in found:
            raise ValueError(f"each package must be pinned once; {match['name']} is pinned twice")
        found[match["name"]] = match["version"]
    return found


def canonical(name: str) -> str:
    """The name of a package as all spellings of it are compared (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    sys.exit(main())
