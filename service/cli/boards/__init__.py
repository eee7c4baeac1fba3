"""Game boards for the terminal."""
