"""`csp`: a graph of stages, brought to a fixpoint, and the search in what it leaves open."""
