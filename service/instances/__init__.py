"""Several processes on one store: who leads, and what each learns of the others."""
