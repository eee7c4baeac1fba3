"""What happened in a match: read from a store, a service or a bundle."""
