"""Games as trees in flat arrays: unfolded from any machine, read from EFG, compared."""
