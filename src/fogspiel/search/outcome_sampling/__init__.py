"""Online outcome sampling: regret minimisation along sampled histories during play."""
