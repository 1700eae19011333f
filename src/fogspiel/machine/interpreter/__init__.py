"""The machine that plays POGDDL as written."""
