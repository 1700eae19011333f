"""The grounder's own process: limits first, then clingo. Started as a script.

It imports nothing of Fogspiel, so that it starts in hundredths of a second. Rules are taken from
clingo as they are found and written as 32-bit numbers, `choice head n literal…`; after the last
comes END and, as text, a line `number symbol` for every atom that is asked for, with number 0 for
one that holds always. (clingo's own text output makes a system call a line, which takes longer
than grounding.)
"""

from __future__ import annotations

import os
import sys
from array import array
from collections.abc import Sequence

END = 2
TOO_MANY_ATOMS, TOO_MANY_RULES = 64, 65
"""Exit statuses."""
FLUSH_NUMBERS = 1 << 16


def main() -> None:
    """Arguments: bytes of memory, seconds of processor, atoms, rules, and `name/arity` to show."""
    memory_bytes, seconds, atoms, rules = map(int, sys.argv[1:5])
    _limit(memory_bytes, seconds)
    from clingo import Control, Observer

    class Writer(Observer):
        """Passes rules on, in portions, and ends the process when there are too many."""

        def __init__(self) -> None:
            self.numbers = array("i")
            self.rules_left = rules

        def rule(self, choice: bool, head: Sequence[int], body: Sequence[int]) -> None:
            """Called by clingo for every ground rule; ours have one head."""
            numbers = self.numbers
            numbers.append(choice)
            numbers.append(head[0])
            numbers.append(len(body))
            numbers.extend(body)
            self.rules_left -= 1
            if self.rules_left < 0:
                os._exit(TOO_MANY_RULES)
            if head[0] > atoms:
                os._exit(TOO_MANY_ATOMS)
            if len(numbers) > FLUSH_NUMBERS:
                self.flush()

        def flush(self) -> None:
            sys.stdout.buffer.write(self.numbers.tobytes())
            sys.stdout.buffer.flush()
            del self.numbers[:]

    writer = Writer()
    control = Control(["--warn=none"])
    control.register_observer(writer, replace=True)
    control.add("base", [], sys.stdin.read())
    control.ground([("base", [])])
    writer.numbers.append(END)
    writer.flush()
    for signature in sys.argv[5:]:
        name, arity = signature.split("/")
        for atom in control.symbolic_atoms.by_signature(name, int(arity)):
            print(0 if atom.is_fact else atom.literal, atom.symbol)
    sys.stdout.flush()
    os._exit(0)  # freeing a large program would take seconds


def _limit(memory_bytes: int, seconds: int) -> None:
    try:
        import resource
    except ImportError:
        return  # not every system has these limits; the parent's clock still holds
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))


if __name__ == "__main__":
    main()
