"""What can be found out about a game: checks, sizes, playouts, comparisons, translations."""
