"""Players that solve the whole game, or the part of it that begins at the present state."""
