"""The tables of `domain/names/tables.py`, made from Unicode's own files."""
