"""Machines: a game that plays, by gates (`compiled`) or on its rules (`reference`)."""
