"""The reference machine: plays the rules as written, with their variables."""
