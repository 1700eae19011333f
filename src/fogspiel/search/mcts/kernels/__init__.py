"""Kernels that several searches call: one folder, whose changes are noticed (`core/native`)."""
