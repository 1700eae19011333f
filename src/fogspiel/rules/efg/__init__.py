"""EFG, Gambit's format for games in extensive form: read, checked, written, turned into rules."""
