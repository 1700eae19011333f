"""Pictures and pages of games: boards as text, reports of tournaments."""
