"""Executes what is done in cases."""
