"""Checks of GDL: what cannot be played is an error, what has one plain reading a warning."""
