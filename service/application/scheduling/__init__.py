"""What happens by itself at an instant, and whether the clock can be trusted."""
