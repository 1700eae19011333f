"""Operations of a compiled machine: steps, expansions, playouts, goals."""
