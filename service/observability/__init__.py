"""Logs, metrics and readiness: figures for operators, never the content of a match."""
