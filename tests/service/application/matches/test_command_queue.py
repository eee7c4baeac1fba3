"""Commands that wait while a transaction fails are decided on what the store has then."""
