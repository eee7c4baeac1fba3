"""Tournaments of a running service, at a terminal."""
