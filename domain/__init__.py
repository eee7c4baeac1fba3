"""The domain: the rules of every game and of a match, as pure functions."""
