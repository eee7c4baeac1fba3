"""Executes the commands of tournaments."""
