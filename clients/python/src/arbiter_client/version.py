"""The version of this client: that of the API for which it was made."""

__version__ = "0.1.0"
