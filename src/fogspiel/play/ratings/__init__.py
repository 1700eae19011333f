"""From results to standings and ratings: who played how well, and how sure that is."""
