"""Ids and batches for machines that meet fluents, moves and percepts as they go."""
