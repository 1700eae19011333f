"""Measurements: playouts beside a peer, loading, and whole collections of rule sheets."""
