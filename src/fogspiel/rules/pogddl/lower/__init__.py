"""Lowering of POGDDL to clauses and numbers, part by part."""
