"""What one audience may see of a match, and the numbers by which it counts."""
