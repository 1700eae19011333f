"""Flat Monte Carlo over a bag of possible histories, and its nested form."""
