"""Search: the values of moves, from a machine and a belief, within a budget."""
