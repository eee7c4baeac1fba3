"""Matches: creating and listing them, and what an audience sees of one."""
