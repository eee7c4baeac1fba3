"""The keys of matches, and invitations to their seats."""
