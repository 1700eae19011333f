"""NORNS: figures, answered."""
