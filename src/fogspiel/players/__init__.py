"""Players behind one protocol, chosen by name: each knows just its own moves and percepts."""
