"""From one language to another, rule by rule."""
