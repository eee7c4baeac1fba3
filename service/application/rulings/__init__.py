"""Executes rulings, and answers what became of them."""
