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
from typing import Any

END = 2
TOO_MANY_ATOMS, TOO_MANY_RULES = 64, 65  #: Exit statuses
PORTION = 1 << 12  #: Rules between two looks at the limits


def main() -> None:
    """Arguments: bytes of memory, seconds of processor, atoms, rules, and `name/arity` to show."""
    memory_bytes, seconds, atoms, rules = map(int, sys.argv[1:5])
    _limit(memory_bytes, seconds)
    from clingo import Control, Observer

    writer = Writer(atoms, rules)

    class Rules(Observer):
        """Passes rules on."""

        def rule(self, choice: bool, head: Sequence[int], body: Sequence[int]) -> None:
            writer.numbers.extend((choice, head[0], len(body), *body))
            writer.count(head[0])

    _pass_on_directly(writer)
    control = Control(["--warn=none"])
    control.register_observer(Rules(), replace=True)
    control.add("base", [], sys.stdin.read())
    control.ground([("base", [])])
    writer.finish()
    for signature in sys.argv[5:]:
        name, arity = signature.split("/")
        for atom in control.symbolic_atoms.by_signature(name, int(arity)):
            print(0 if atom.is_fact else atom.literal, atom.symbol)
    sys.stdout.flush()
    os._exit(0)  # freeing a large program would take seconds


class Writer:
    """Writes rules in portions, and ends the process when there are too many."""

    def __init__(self, atoms: int, rules: int) -> None:
        self.numbers = array("i")
        self._atoms = atoms
        self._rules_left = rules
        self._portion = min(PORTION, rules + 1)

    def count(self, head: int) -> None:
        """Take note of a rule that was added; atoms are numbered as they appear."""
        self._portion -= 1
        if self._portion == 0:
            self._look(head)

    def _look(self, head: int) -> None:
        self._rules_left -= min(PORTION, self._rules_left + 1)
        if self._rules_left < 0:
            os._exit(TOO_MANY_RULES)
        if head > self._atoms:
            os._exit(TOO_MANY_ATOMS)
        self._portion = min(PORTION, self._rules_left + 1)
        sys.stdout.buffer.write(self.numbers.tobytes())
        sys.stdout.buffer.flush()
        del self.numbers[:]

    def finish(self) -> None:
        """Write what is left, and that it was all."""
        self.numbers.append(END)
        sys.stdout.buffer.write(self.numbers.tobytes())
        sys.stdout.buffer.flush()


def _pass_on_directly(writer: Writer) -> None:
    """Take rules from clingo's own arrays instead of a list made of each: a third of the time.

    It reaches into clingo's binding for Python. Where that has changed, nothing is lost but time.
    """
    try:
        from clingo import backend
        from clingo._internal import _ffi

        if not hasattr(backend, "_pyclingo_observer_rule"):
            return
        buffer = _ffi.buffer

        @_ffi.def_extern(name="pyclingo_observer_rule")
        def rule(choice: bool, head: Any, heads: int, body: Any, size: int, data: Any) -> bool:
            numbers = writer.numbers
            first = head[0]
            numbers.append(choice)
            numbers.append(first)
            numbers.append(size)
            if size:
                numbers.frombytes(buffer(body, size * numbers.itemsize))
            writer.count(first)
            return True
    except (ImportError, AttributeError):
        return


def _limit(memory_bytes: int, seconds: int) -> None:
    try:
        import resource
    except ImportError:
        return  # not every system has these limits; the parent's clock still holds
    for kind, most in ((resource.RLIMIT_AS, memory_bytes), (resource.RLIMIT_CPU, seconds)):
        _, hard = resource.getrlimit(kind)
        # Whoever started us may have been given less.
        allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (allowed, hard))


if __name__ == "__main__":
    main()
