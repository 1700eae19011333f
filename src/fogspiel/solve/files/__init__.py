"""Strategy files: behaviour strategies saved, opened and printed."""
