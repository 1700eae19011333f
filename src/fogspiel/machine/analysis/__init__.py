"""What can be said of a game by looking at its machine: features, parts, cost."""
