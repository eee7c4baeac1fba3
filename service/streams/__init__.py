"""Live readers: they pull from the record; the hub only says when to look."""
