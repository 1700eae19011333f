"""What states are worth, by evaluations that are made from the rules alone."""
