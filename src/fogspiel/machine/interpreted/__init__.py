"""The machine that plays POGDDL as written."""

from fogspiel.machine.interpreted.machine import InterpretedMachine

__all__ = ["InterpretedMachine"]
