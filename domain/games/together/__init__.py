"""Together We Survive, Together We Prosper: one group is voted off a stage, the other is given
tokens, and everybody has a hand in both."""
