"""Monte Carlo tree search: trees by state, by knowledge, by belief and type."""
