"""The reference machine, which proves facts from the rules as written, with their variables."""
