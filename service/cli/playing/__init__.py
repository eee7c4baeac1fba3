"""Matches on a running service: watched, played by bots, and moved as text."""
