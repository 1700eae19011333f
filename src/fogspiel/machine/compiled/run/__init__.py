"""What a compiled machine is asked for: steps, expansions, playouts, goals."""
