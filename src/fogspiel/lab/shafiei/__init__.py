"""Shafiei (2010): tables and figures, answered."""
