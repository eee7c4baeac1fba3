"""What handlers read of a request, and how they answer."""
