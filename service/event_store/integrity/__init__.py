"""What notices that a store was damaged, or has gone back."""
