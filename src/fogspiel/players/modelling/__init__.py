"""Players with a model of their opponents: best responses, Bayesian types, fictitious play."""
