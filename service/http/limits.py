"""How large requests may be."""

BODY_LIMIT = 64 * 1024
"""Bytes of a body."""

DISCARD_LIMIT = 1024 * 1024
"""Bytes read of a body that is too large before the connection is cut off."""

LARGEST_NUMBER = 2**53 - 1
"""The largest whole number that every JSON reader can hold."""
