"""What a seat may do, and does."""
