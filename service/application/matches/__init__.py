"""Executes the commands of matches, and keeps the matches in use in memory."""
