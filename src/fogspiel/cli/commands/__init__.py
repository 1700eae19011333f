"""The commands, in five groups."""
