"""Languages: text to typed rules with spans."""
