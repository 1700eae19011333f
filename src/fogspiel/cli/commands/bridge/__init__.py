"""Commands of the bridge case study."""
