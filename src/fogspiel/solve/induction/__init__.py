"""Backward induction, with a matrix game in every state of simultaneous moves."""
