"""Players that solve the game, or a part of it ahead of them."""
