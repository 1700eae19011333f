"""Commands that play: players, play, match, tournament, results, replay, serve, manage."""
