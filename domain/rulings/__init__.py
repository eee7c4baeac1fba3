"""What is ruled on a match or a tournament, who rules it, and what it changes."""
