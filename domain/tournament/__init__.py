"""Tournaments: their people, their matches, and their ledger of garnets."""
