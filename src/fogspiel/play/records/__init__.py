"""Matches written down: a format, a reader, replays, and the form that ggp-base uses."""
