"""Planning in any game: a situation over a machine and the states that a role holds possible."""
