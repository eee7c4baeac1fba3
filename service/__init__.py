"""The outside: HTTP, storage, time, chance and the command line."""
