"""Whether two games are the same, and where they first differ."""
