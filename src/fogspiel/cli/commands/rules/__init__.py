"""Commands about rules: games, check, info, convert, explain."""
