"""Well-formedness in play: what the rules claim, tried on sampled matches."""
