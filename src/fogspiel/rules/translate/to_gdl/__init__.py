"""POGDDL and EFG written as GDL-II."""
