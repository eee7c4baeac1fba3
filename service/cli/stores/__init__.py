"""What operators do with a store."""
