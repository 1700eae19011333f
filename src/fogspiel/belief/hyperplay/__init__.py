"""HyperPlay: a bag of possible histories, each repaired when an observation refutes it."""
