"""Snapshots everywhere: with `ARBITER_TEST_SNAPSHOTS=5` every test makes a snapshot whenever a
match has grown by five events, and reads the match from it. No result may change."""

from collections.abc import Iterable
from uuid import UUID

import pytest

from service.application.match_sessions import MatchSessions
from service.snapshots import snapshotter

IN_MEMORY = {
    "test_what_arrives_while_a_transaction_runs_forms_the_next",
    "test_commands_that_wait_together_share_a_transaction",
    "test_a_transaction_has_room_for_so_many_commands",
    "test_a_store_error_acknowledges_nothing_and_passes",
    "test_a_fault_in_a_board_costs_the_answer_of_its_match_alone",
    "test_a_batch_longer_than_what_is_kept_is_answered_without_reading_the_store",
    "test_who_reads_first_while_the_match_is_forgotten_reads_all_of_it",
    "test_a_read_that_fails_during_a_commit_leaves_no_stale_match_behind",
    "test_what_is_dropped_while_an_audience_first_reads_is_read_again",
    "test_a_match_forgotten_twice_while_it_is_read_is_read_again",
    "test_what_was_read_before_its_commit_was_heard_of_counts_once",
    "test_what_falls_due_together_passes_in_every_match",
    "test_a_store_that_cannot_be_read_says_try_again",
    "test_many_who_look_at_once_share_their_looks",
}
"""Tests of behaviour that depends on a match being in memory, or of how its whole record is
read."""


def left_out(items: Iterable[pytest.Item]) -> None:
    """Skips those."""
    for item in items:
        if getattr(item, "originalname", item.name) in IN_MEMORY:
            item.add_marker(pytest.mark.skip(reason="matches are read from snapshots"))


def often(every: int) -> None:
    """Takes effect for all instances of this process."""
    snapshotter.EVERY = every
    snapshotter.LOOK_SECONDS = 0.02
    snapshotter.SAMPLE = 5
    snapshotter.BATCH = 3
    snapshotter.REST_SECONDS = 0.0
    honest = MatchSessions.snapshot_made

    def snapshot_made(self: MatchSessions, match_id: UUID, position: int) -> None:
        honest(self, match_id, position)
        opened = self._cache.find(match_id)
        if opened is not None and opened.idle:
            self.evict(match_id)

    MatchSessions.snapshot_made = snapshot_made  # type: ignore[method-assign]
