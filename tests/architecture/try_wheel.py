"""The wheel, tried as a user without the sources and without a compiler would use it.

    python tests/architecture/try_wheel.py dist/fogspiel-….whl

The wheel and what it needs are installed from binary packages into a new virtual environment, far
from the clone, of the Python that runs this program. There, `wheel_smoke.py` loads, plays, solves
and checks games. No compiler can be found by name, and whoever asks for one by `CC` gets a program
that fails. Native kernels are built into an empty cache. Exits with 1 if anything fails.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

COMPILERS = ("cc", "gcc", "clang", "c++", "g++", "tcc", "ld", "make", "cmake")
PYTHON = "bin/python"


def main(arguments: list[str]) -> int:
    """Install the wheel in a folder that is removed afterwards, and try it there."""
    (wheel,) = arguments
    version = ".".join(map(str, sys.version_info[:3]))
    print(f"Trying {Path(wheel).name} with Python {version} and without a compiler ...", flush=True)
    with tempfile.TemporaryDirectory(prefix="wheel-") as folder:
        home = Path(folder).resolve()
        environment = home / "environment"
        venv.create(environment, with_pip=True)
        bare = without_compiler(environment)
        install = ("-m", "pip", "-qq", "install", "--only-binary", ":all:")
        # pip keeps the user's home, where the registry and its certificates may be named.
        installed = subprocess.run(
            [environment / PYTHON, *install, Path(wheel).resolve()],
            env={**os.environ, **bare},
            check=False,
        )
        if installed.returncode:
            print("The wheel could not be installed from binary packages alone.", file=sys.stderr)
            return 1
        smoke = shutil.copy(Path(__file__).with_name("wheel_smoke.py"), home)
        # `-I` also keeps the folder of the program, and names of the user's, out of the path.
        command = [str(environment / PYTHON), "-I", str(smoke)]
        own = {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), "LANG": "C.UTF-8"}
        tried = subprocess.run(command, cwd=home, env={**own, **bare}, check=False)
    return int(tried.returncode != 0)


def without_compiler(environment: Path) -> dict[str, str]:
    """Variables under which only the programs of a virtual environment are found."""
    path = str(environment / "bin")
    found = [name for name in COMPILERS if shutil.which(name, path=path)]
    assert not found, f"a new virtual environment has {found}"
    refusal = shutil.which("false") or "/bin/false"
    return {"PATH": path, "CC": refusal, "CXX": refusal}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
