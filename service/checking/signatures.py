"""Judges whether the log of a match or a tournament extends every checkpoint that was signed of it,
and whether its secrets are those to which it has committed.

A signature is not stored: it is made of the checkpoint on record, whenever someone asks for it.
"""

from collections import defaultdict
from collections.abc import Sequence
from uuid import UUID

import msgspec

from domain.chance import generator
from domain.encoding import decode
from domain.match.events import SeedCommitted
from domain.proof.commitments import hash_of_leaf, leaf_of
from domain.proof.log_events import CheckpointSigned
from domain.proof.merkle import Tree, add_leaves
from domain.tournament.stage_events import LotsCommitted
from service.checking.findings import Finding, Part
from service.checking.rows import RowPage
from service.event_store.reading import StreamHead, VersionedRow
from service.event_store.secret_store import MatchSecrets, decoded_secrets


class SignedLog:
    """The checkpoints of a match or a tournament and its secrets, compared with its rows as these
    are read. `checked` counts the checkpoints that agree or do not."""

    def __init__(self, match: UUID, head: StreamHead) -> None:
        self.findings: list[Finding] = []
        self.checked = 0
        self._match = str(match)
        self._secrets = self._read_secrets(head)
        self._unread: dict[int, list[tuple[int, CheckpointSigned]]] = defaultdict(list)
        for version, checkpoint in self._checkpoints(head.signed):
            self._unread[checkpoint.size].append((version, checkpoint))
        self._final = max((size for size, _ in self._over()), default=None)
        self._tree = Tree()
        self._index = 0

    def add(self, page: RowPage) -> None:
        """Compares with the next rows."""
        for record, row in zip(page.records, page.rows, strict=True):
            if isinstance(record.event, SeedCommitted | LotsCommitted):
                self._check_seed(record.event)
            if self._unread and self._secrets is not None:
                key = self._secrets.log_key
                leaf = leaf_of(self._match, self._index, record, row.state, key)
                self._tree = add_leaves(self._tree, (hash_of_leaf(leaf),))
                self._compare()
            self._index += 1

    def end(self, *, broken: bool) -> None:
        """Notes the end of the rows, which cannot be compared from the first `broken` one on."""
        if self._secrets is None or broken:
            return
        for size, checkpoints in self._unread.items():
            for version, _ in checkpoints:
                self._find("signatures", f"checkpoint {version} covers {size:,} rows, but there are"
                           f" {self._index:,}")  # fmt: skip
        if self._final is not None and self._final < self._index:
            self._find(
                "signatures",
                f"it has grown to {self._index:,} rows after its final checkpoint of"
                f" {self._final:,}",
            )

    def _over(self) -> list[tuple[int, int]]:
        return [
            (size, version)
            for size, checkpoints in self._unread.items()
            for version, checkpoint in checkpoints
            if checkpoint.over
        ]

    def _compare(self) -> None:
        for version, checkpoint in self._unread.pop(self._tree.size, ()):
            self.checked += 1
            if checkpoint.root != self._tree.root:
                self._find(
                    "signatures",
                    f"its first {checkpoint.size:,} rows are not those of which checkpoint"
                    f" {version} was signed",
                )

    def _checkpoints(self, rows: Sequence[VersionedRow]) -> list[tuple[int, CheckpointSigned]]:
        checkpoints = []
        for expected, (version, row) in enumerate(rows, 1):
            if version != expected:
                self._find("gaps", f"checkpoint {expected} that was signed of it is missing")
                break
            try:
                event = decode(row.state).event
            except Exception as error:  # noqa: BLE001  damaged bytes may raise anything
                event = None
                self._find(
                    "signatures", f"checkpoint {version} cannot be decoded ({type(error).__name__})"
                )
            if isinstance(event, CheckpointSigned):
                checkpoints.append((version, event))
            elif event is not None:
                self._find("signatures", f"checkpoint {version} is something else")
        return checkpoints

    def _read_secrets(self, head: StreamHead) -> MatchSecrets | None:
        try:
            secrets = decoded_secrets(head.secrets)
        except msgspec.DecodeError:
            self._find("secrets", "its secrets cannot be decoded")
            return None
        if secrets is None and head.rows:
            self._find("secrets", "its secrets are missing, the key of its log among them")
        return secrets

    def _check_seed(self, committed: SeedCommitted | LotsCommitted) -> None:
        """What is found names no part of a secret."""
        if self._secrets is None:
            return
        epoch = committed.epoch
        seed = next(
            (seed_row.seed for seed_row in self._secrets.seeds if seed_row.epoch == epoch), None
        )
        if seed is None:
            self._find("secrets", f"the seed of epoch {epoch} is missing")
        elif generator.commit(self._match, epoch, seed) != committed.commit:
            self._find("secrets", f"the seed of epoch {epoch} is not the one committed to")

    def _find(self, part: Part, text: str) -> None:
        self.findings.append(Finding(part, text, self._match))
