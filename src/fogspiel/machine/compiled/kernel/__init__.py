"""Gates evaluated in lanes: memory, vectors, and the loop over one phase of gates."""
