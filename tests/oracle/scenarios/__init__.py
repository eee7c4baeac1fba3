"""What is asked of the service, topic by topic."""
