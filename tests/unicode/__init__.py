"""The tables of `domain/names`, made from Unicode's own files."""
