"""Several instances on one store: the leader lock, and notifications of what others recorded."""
