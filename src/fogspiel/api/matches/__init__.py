"""Matches, series and tournaments between players, and players of one's own."""
