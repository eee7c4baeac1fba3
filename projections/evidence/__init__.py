"""What proves a match to a stranger: bundles, and the verifier that needs nothing else but a key.

Nothing here imports from `service`. What it is byte by byte stands in `FORMAT.md`.
"""
