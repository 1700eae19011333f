"""Search in games that are made of independent parts."""
