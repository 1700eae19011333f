"""Bundled games: rule sheets, families that write them, and an index with their known facts."""
