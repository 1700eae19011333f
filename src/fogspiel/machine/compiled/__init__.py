"""The compiled machine: a ground program as an array of AND gates, run in lanes of 64·W games."""
