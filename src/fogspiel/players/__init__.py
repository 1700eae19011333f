"""Players behind one protocol, by name: each is told what its role did and saw, and no more."""
