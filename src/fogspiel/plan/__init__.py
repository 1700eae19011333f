"""Task networks of multi-agent methods: a player that thinks in schemes, and bridge."""
