"""Live streams: readers read from the record; a wake-up only says when to read."""
