"""What proves a match to a stranger: its log, signed statements, and judging it again."""
