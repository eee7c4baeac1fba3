"""Errors of the event store and of its streams."""


class StoreUnavailable(Exception):
    """The store did not answer, or its queue is full; nothing was acknowledged."""


class ConcurrencyConflict(Exception):
    """Another writer was first: the events were decided on an older state."""


class UnknownMatch(LookupError):
    """No match has this id."""


class UnknownTournament(LookupError):
    """No tournament has this id."""
