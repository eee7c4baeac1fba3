"""What is signed: receipts, checkpoints, and the keys for it."""
