"""The classes for programs with an event loop."""
