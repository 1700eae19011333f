"""Evaluations of states, made from the rules alone."""
