"""Bots that play the games from what their seat may see."""
