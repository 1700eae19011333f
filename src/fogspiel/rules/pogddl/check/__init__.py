"""Checks of POGDDL: declarations, derived predicates, actions and their uses."""
