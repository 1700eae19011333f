"""The grounder's own process: limits on memory first, then clingo. Started as a script.

It imports nothing of Fogspiel, so that it starts in hundredths of a second.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Ground the program on standard input; write its aspif to standard output."""
    memory_bytes, seconds = int(sys.argv[1]), int(sys.argv[2])
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
        # A second guard should the parent die before it could stop us.
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    except (ImportError, ValueError, OSError):
        pass  # not every system has these limits; the parent's clock still holds
    from clingo.application import Application, clingo_main

    options = ["--mode=gringo", "--output=intermediate", "--warn=none", "-"]
    sys.exit(clingo_main(Application(), options))


if __name__ == "__main__":
    main()
