"""A tournament as one HTML file that opens offline: no script, and nothing that is loaded."""
