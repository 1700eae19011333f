"""Bridge after the auction: deals, what declarer can know, schemes, and players to compare with."""
