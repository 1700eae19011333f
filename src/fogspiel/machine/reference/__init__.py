"""The reference machine: plays the rules as written, with their variables."""

from fogspiel.machine.reference.machine import ReferenceMachine

__all__ = ["ReferenceMachine"]
