"""A match of any game: what is put in, what follows, and the state that it is in."""
