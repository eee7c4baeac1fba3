"""Logs, metrics, traces and readiness: figures for operators, never the content of a match."""
