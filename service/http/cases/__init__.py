"""What someone says went wrong in a match, and what became of it."""
