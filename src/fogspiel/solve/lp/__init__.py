"""Equilibria by linear programs: sequence form, normal form, exact fractions."""
