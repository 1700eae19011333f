"""Players that plan by hierarchical task networks."""
