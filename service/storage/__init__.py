"""Where records lie: the event store, its encoding, and the read models beside it."""
