"""Read models: lists, tournaments and the ledger, filled from the log and rebuilt from it."""
