"""The classes for programs without an event loop."""
