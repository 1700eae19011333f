"""A player that others reach over HTTP: its matches, the processes that think, and the clocks."""
