"""Backups of a store, and copies into another."""
