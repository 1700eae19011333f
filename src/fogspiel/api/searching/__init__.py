"""Searches and plans from the view of a player, and what they are combined of."""
