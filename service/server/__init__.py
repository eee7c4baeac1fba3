"""The web server and the processes that run it."""
