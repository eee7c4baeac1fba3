"""What happened in a match: read from a store, a service, a bundle or a notation."""
