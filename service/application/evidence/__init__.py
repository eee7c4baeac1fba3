"""Evidence for readers, and the account of who has read what."""
