"""The game manager: matches between players that are reached over HTTP, or sit here."""
