"""What proves a match, who did what in it, and who has read what."""
