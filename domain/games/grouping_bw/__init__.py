"""Grouping Black & White: two players bet on tiles that neither of them sees."""
