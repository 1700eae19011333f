"""Studies in which two independent ways must agree."""
