"""Commands that analyse a game: simulate, infoset, analyze, solve, induce."""
