"""From a machine and what a role must hold possible to a move, before a deadline."""
