"""Dollar Prize: two lines of coins, a steal every round, and a prize for the first to a dollar."""
