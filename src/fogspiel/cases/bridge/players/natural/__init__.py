"""The defender `natural`: rules of thumb for leads, following suit and discards."""
