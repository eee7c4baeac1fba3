"""Screens in the terminal: a match that is watched, played, or replayed step by step."""
