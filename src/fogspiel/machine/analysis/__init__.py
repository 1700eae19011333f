"""Analysis of games by their machines: features, independent parts, cost of operations."""
