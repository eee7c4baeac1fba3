"""Who may know what: pure folds over what an audience may see."""
