"""Class of a game: dominance, pure equilibria, and what follows for its solution."""
