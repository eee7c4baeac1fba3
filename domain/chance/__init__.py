"""Seeds, commitments to them, and the draws that follow from them (arbiter-rng/1)."""
