"""Play over HTTP, by the protocol of general game playing: a server for a player, and a manager."""

from fogspiel.api.ggp.managing import ManagedMatches, ManagedPlayer, manage
from fogspiel.api.ggp.serving import PlayerServer

__all__ = ["ManagedMatches", "ManagedPlayer", "PlayerServer", "manage"]
