"""Tignum: tables and figures of bridge, answered, and its planner in other games."""
