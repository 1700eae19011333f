"""Native kernels that several rooms call: random numbers, hashing, hash tables, distinct rows."""
