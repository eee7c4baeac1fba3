"""Snapshots, made beside the door, from which long matches open in milliseconds."""
