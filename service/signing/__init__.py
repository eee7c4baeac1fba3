"""Signs receipts, checkpoints and bundles, and stores the signing keys."""
