"""What differs between two descriptions of the API, and whether it breaks clients."""
