"""`sat`: the machine unrolled over the steps as rules, and the solver that finds its models."""
