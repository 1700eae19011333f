"""Gates in three-valued logic: what is certain when some inputs are unknown."""
