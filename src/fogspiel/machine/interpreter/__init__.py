"""The machine that interprets rules in POGDDL as written."""
