"""What proves a match or a tournament to a stranger: its log, signed statements, and judging it
again."""
