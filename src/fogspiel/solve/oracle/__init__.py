"""Double oracle: a small game of best responses that grows until it is the whole."""
