"""Commands that measure: bench, reproduce, demo."""
