"""Random matches and their evidence: logs, keys, bundles, without a server."""

from collections.abc import Sequence
from typing import Any

from domain.encoding import encode
from domain.events import Event, Record
from domain.games import GAMES
from domain.proof.checkpoints import text as checkpoint_text
from domain.proof.notes import VerifierKey
from projections.audience.disclosure import MODERATOR, Viewer
from projections.evidence.bundle import MatchLog, bundle
from projections.evidence.case import VerifierInputs
from service.cli.simulating.simulation import MATCH, SimulatedMatch
from service.signing.signing_keys import Signer
from tests.support.games import usual

SIGNER = Signer("test.example/log", b"l" * 32)
RECEIPTS = Signer("test.example/receipts", b"r" * 32)
STRANGER = Signer("test.example/log", b"x" * 32)
KEYS: tuple[VerifierKey, ...] = (SIGNER.verifier, RECEIPTS.verifier)
LOG_KEY = b"k" * 32


def log_of(records: Sequence[Record[Event]], match: str = MATCH, key: bytes = LOG_KEY) -> MatchLog:
    """The log of a record."""
    return MatchLog(match, [encode(record) for record in records], key)


def played(game: str, seed: str = "1", options: dict[str, Any] | None = None) -> SimulatedMatch:
    """A random match, played to its end."""
    table = SimulatedMatch(GAMES[game], len(usual(game)), options or {}, seed)
    table.play()
    return table


def checkpoint_of(log: MatchLog) -> str:
    """The text of the checkpoint of the whole log."""
    return checkpoint_text(log.checkpoint())


def bundled(log: MatchLog, audience: Viewer = MODERATOR) -> bytes:
    """The bundle of a log, signed by the keys of the tests."""
    checkpoint = SIGNER.sign(checkpoint_of(log))
    return bundle(log, audience, checkpoint, SIGNER.sign, RECEIPTS.sign)


def trusted(**more: Any) -> VerifierInputs:
    """The knowledge of a verifier who trusts the keys of the tests."""
    return VerifierInputs(KEYS, **more)
