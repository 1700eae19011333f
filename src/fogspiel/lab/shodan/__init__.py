"""Shodan: tables and figures, answered."""
