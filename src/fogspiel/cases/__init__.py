"""Case studies with knowledge of their own game."""
