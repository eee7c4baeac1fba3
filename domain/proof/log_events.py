"""What happens to the log of a match or a tournament, in a stream of its own next to it: which
checkpoints were signed."""

from domain.events import SealedEvent


class CheckpointSigned(SealedEvent, frozen=True, tag="log.checkpoint-signed.1"):
    """The signer is about to sign this; from now on it signs no smaller and no different tree.
    `over`: the match was over, so the log is complete; that of a tournament may always grow."""

    size: int
    root: bytes
    over: bool


LogEvent = CheckpointSigned
