"""The one door: what may change a match or a tournament, judged in memory and recorded."""
