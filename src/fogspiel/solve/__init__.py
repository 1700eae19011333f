"""Solvers: from trees and state graphs to strategies, with their values and exploitability."""
