"""The notation of a match: its moves as text, one line a move.

One notation serves all games: its words are the types and fields of their actions and draws.
"""
