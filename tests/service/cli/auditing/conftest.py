"""The command that is tested here."""

from tests.support.cli.audit_runs import run

__all__ = ["run"]
