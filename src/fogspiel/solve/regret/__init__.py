"""Regret minimisation: CFR and its variants, on trees and on graphs of states."""
