"""Tournaments: from a plan to matches, and from matches to results that outlive any crash."""
