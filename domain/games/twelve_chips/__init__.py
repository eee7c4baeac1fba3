"""12 Chips."""
