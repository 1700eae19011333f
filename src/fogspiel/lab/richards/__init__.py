"""Richards (2012): tables and figures, answered."""
