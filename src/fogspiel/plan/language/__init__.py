"""Methods files: networks of methods as text, read with all their faults, checked, and written."""
