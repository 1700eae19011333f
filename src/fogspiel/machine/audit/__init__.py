"""Audit of games in play: properties that rules must have, checked on states and playouts."""
