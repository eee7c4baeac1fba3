"""Who may use a route."""
