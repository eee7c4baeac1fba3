"""How large requests may be."""

HEAD_LIMIT = 64 * 1024
"""Bytes of a head."""

MOST_HEADERS = 100
"""Headers of a request."""

ADDRESS_LIMIT = 8 * 1024
"""Bytes of the address in a head. The framework keeps the last thousand queries parsed."""

MOST_PARAMETERS = 100
"""Parameters in the query of an address."""

BODY_LIMIT = 64 * 1024
"""Bytes of a body, with all that frames it: the sizes of chunks, their extensions, and trailers."""

DISCARD_LIMIT = 1024 * 1024
"""Bytes that are received and discarded after a request that is refused, before the connection is
cut off."""

LARGEST_NUMBER = 2**53 - 1
"""The largest whole number that every JSON reader can hold."""
