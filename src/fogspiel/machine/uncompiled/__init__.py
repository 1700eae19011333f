"""Ids and batches for machines that number fluents, moves and percepts as they meet them."""
