"""Projections: pure folds over the events that an audience may see."""
