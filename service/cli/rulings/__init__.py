"""Rulings, typed."""
