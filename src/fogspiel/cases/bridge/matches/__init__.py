"""Bridge matches: boards played, series of deals, standings."""
