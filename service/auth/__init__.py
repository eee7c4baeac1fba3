"""Keys, tickets, client addresses and rate limits."""
