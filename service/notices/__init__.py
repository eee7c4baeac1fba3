"""Notices: public facts of matches and tournaments, sent to those who asked for them."""
