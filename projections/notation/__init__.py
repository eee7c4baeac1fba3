"""The notation of a match: its moves as text, one line a move, and their way back into a match.

One notation serves all games: its words are the types and fields of their actions and draws.
"""
