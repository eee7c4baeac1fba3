"""What an operator sees: whether the service can do its work, how much of it there is, and how long
it takes. Nothing here tells what happened in a match."""
