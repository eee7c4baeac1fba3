"""What proves a match to a stranger: bundles, and the verifier that needs nothing but a key.

Nothing here imports from `service`. The bytes of the format are specified in `FORMAT.md`.
"""
