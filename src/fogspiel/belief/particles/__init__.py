"""Particle filters: beliefs as weighted samples that are resampled as play goes on."""
