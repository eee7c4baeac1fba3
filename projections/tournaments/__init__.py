"""What everyone may know of a tournament, and its ledger."""
