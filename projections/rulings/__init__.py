"""The rulings on a match or a tournament, as one audience sees them."""
