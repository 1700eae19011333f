"""Machines that wrap another one: fixed opponents, relevant parts, opponent types, legal moves."""
