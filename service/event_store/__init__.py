"""The event store: SQLite or PostgreSQL, the secrets of matches, backup and copy."""
