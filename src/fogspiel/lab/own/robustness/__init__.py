"""Studies of what goes wrong: late answers, killed processes."""
