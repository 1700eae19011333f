"""Declarer play by schemes: a knowledge base of methods, plans over sampled deals, and words."""
