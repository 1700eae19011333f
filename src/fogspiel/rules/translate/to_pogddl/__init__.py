"""GDL-II written as POGDDL."""
