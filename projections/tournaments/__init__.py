"""What everybody may know of a tournament, and its ledger."""
