"""Pages that the service hands out."""
