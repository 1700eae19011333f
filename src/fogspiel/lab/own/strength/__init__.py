"""Studies of how well players play."""
