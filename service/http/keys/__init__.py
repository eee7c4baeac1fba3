"""Keys, and the invitations by which they are handed out."""
