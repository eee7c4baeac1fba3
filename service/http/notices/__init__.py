"""Public facts for those who asked for them: webhooks and calendars."""
