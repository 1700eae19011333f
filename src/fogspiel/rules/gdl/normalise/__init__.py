"""GDL brought to clauses without disjunctions, kept small for the grounder."""
