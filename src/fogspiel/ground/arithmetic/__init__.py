"""Numbers as ground rules: registers of bits, adders, comparators."""
