"""Planning in any game: situations over a machine and the states of an information set."""
