"""From POGDDL to clauses and numbers, part by part."""
