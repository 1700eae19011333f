"""One-player games as POMDPs: bounds on the value of beliefs."""
