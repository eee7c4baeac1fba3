"""What moderators and organisers rule."""
