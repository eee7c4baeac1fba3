"""The documents are true; how to write one: `tests/support/docs`."""
