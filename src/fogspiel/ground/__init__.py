"""Grounding: rules with variables to a variable-free program, by clingo in a limited subprocess."""
