"""From trees to strategies, with their value and what they lose at most."""
