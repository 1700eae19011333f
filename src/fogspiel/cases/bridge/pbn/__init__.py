"""Bridge deals as files: Portable Bridge Notation and the bundled problems."""
