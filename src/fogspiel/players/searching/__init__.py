"""Players that search by simulation."""
