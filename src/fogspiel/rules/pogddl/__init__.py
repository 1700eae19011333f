"""POGDDL: games in the planners' way, as a domain and a problem (Richards 2012)."""
