"""How large requests may be."""

HEAD_LIMIT = 64 * 1024
"""Bytes of a head."""

MOST_HEADERS = 100
"""Headers of a request."""

BODY_LIMIT = 64 * 1024
"""Bytes of a body, with all that frames it: the sizes of chunks, their extensions, and trailers."""

DISCARD_LIMIT = 1024 * 1024
"""Bytes that are received and discarded behind a request that is refused, before the connection is
cut off."""

LARGEST_NUMBER = 2**53 - 1
"""The largest whole number that every JSON reader can hold."""
