"""Cases: what went wrong in a match, by those who were there, and how it is closed."""
