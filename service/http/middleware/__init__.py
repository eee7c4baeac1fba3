"""What every request passes before its handler, and every answer after it."""
