"""Methods files: networks of methods as text, read with all their faults, and checked."""
