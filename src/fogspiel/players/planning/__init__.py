"""Players that plan by task networks."""
