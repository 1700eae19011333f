"""Translations between the languages, rule by rule."""
