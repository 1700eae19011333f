"""Machines made from other machines: fixed opponents, relevant parts, types."""
