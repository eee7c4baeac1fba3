"""Application services: execute commands on matches and tournaments, and run what is due."""
