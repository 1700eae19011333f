"""The game tree built from a machine, level by level."""
