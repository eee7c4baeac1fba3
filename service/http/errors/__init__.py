"""Errors, and what a client can do about them."""
