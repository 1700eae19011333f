"""Declarers and defenders by name, each of which sees what its seat sees."""
