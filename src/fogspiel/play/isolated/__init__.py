"""Players of one's own in processes of their own: limits hold, and a fault is theirs alone."""
