"""Players that search the game tree by simulation."""
