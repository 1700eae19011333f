"""Matches between players: who moves, what each is told, and what comes of it."""
