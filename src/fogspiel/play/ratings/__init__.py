"""Standings and ratings: who played how well by the results, and how sure that is."""
