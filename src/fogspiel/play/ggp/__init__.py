"""The protocol of general game playing: its messages, its dialects, and names told otherwise."""
