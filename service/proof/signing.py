"""Signing keys: one for each purpose, in files of their own outside the database.

A purpose's folder holds the private key in force, `signing.key`, readable by its owner alone, and
`verifiers`, a line a key: every public key that has ever been in force, the newest last. When a key
is rotated its private half is destroyed; what it has signed can be checked for ever.
"""

import fcntl
import os
from binascii import b2a_base64
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import Struct

from domain.notes import DASH, VerifierKey, verifier_key
from projections.evidence.signatures import LOG, RECEIPTS

PRIVATE, VERIFIERS = "signing.key", "verifiers"
SECRET_BYTES = 32
PURPOSES = (LOG, RECEIPTS)

TICKETS, SECRET = "tickets", "secret.key"
"""What vouches for tickets to streams: a secret that nobody outside ever checks."""


class Signer:
    """An Ed25519 key under a name; it signs notes."""

    def __init__(self, name: str, secret: bytes) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(secret)
        self.verifier = VerifierKey(name, self._key.public_key().public_bytes_raw())
        self._key_id = self.verifier.key_id
        self._line = f"\n{DASH}{name} "

    def signed(self, text: str) -> str:
        """The text, which must end in a newline, as a signed note.

        Every action waits for it: it is put together here as `written` does it, without its steps.
        """
        assert text.endswith("\n")
        raw = b2a_base64(self._key_id + self._key.sign(text.encode()))
        return f"{text}{self._line}{raw.decode()}"


class SigningKeys:
    """The keys of one purpose, in a folder of their own; `name` says whose they are, what for."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._name = name

    def make(self) -> None:
        """Makes the first key, if there has never been one. Blocks. Raises FileNotFoundError if the
        one in force is gone: it is for the operator to restore it, or to rotate."""
        with _alone(self._folder):
            if (self._folder / PRIVATE).exists():
                return
            if self.verifiers():
                raise FileNotFoundError(
                    f"{self._folder / PRIVATE} is gone: restore it, or `arbiter keys rotate`"
                )
            self._replace()

    def signer(self) -> Signer:
        """The key in force. Blocks. Raises FileNotFoundError if there is none."""
        return Signer(self._name, (self._folder / PRIVATE).read_bytes())

    def rotate(self) -> VerifierKey:
        """A new key from now on: its public half. Blocks."""
        with _alone(self._folder):
            return self._replace()

    def _replace(self) -> VerifierKey:
        """The public half is on disk before anything can be signed with it. Whatever crashes, there
        is a key in force, and its public half is among `verifiers`."""
        secret = os.urandom(SECRET_BYTES)
        verifier = Signer(self._name, secret).verifier
        lines = [*map(str, self.verifiers()), str(verifier)]
        _replace(self._folder / VERIFIERS, "".join(f"{line}\n" for line in lines).encode(), 0o644)
        _replace(self._folder / PRIVATE, secret, 0o600)
        return verifier

    def verifiers(self) -> list[VerifierKey]:
        """Every public key there has been, the oldest first. Blocks. Raises Malformed."""
        path = self._folder / VERIFIERS
        return [verifier_key(line) for line in path.read_text().split()] if path.exists() else []


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """No other process changes the keys in a folder meanwhile."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    opened = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield
    finally:
        os.close(opened)


def _replace(path: Path, content: bytes, mode: int) -> None:
    """Puts a file in its place at once and for good: whole and on disk, or not at all."""
    fresh = path.with_name(f"{path.name}.new")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


class PublishedKey(Struct, frozen=True):
    """A public key: what it signs, its name, the key as verifiers take it, and whether it is the
    one that signs now."""

    purpose: str
    name: str
    key: str
    current: bool


class Signing:
    """The keys of a service, one for each purpose, in folders beside one another. `folder` is not
    in the database: who has that cannot sign."""

    def __init__(self, folder: Path, service: str) -> None:
        self._purposes = {
            purpose: SigningKeys(folder / purpose, f"{service}/{purpose}") for purpose in PURPOSES
        }
        self._folder = folder
        self._signers: dict[str, Signer] = {}

    def make(self) -> None:
        """Makes what keys there are none of yet, and reads those in force. Blocks."""
        for keys in self._purposes.values():
            keys.make()
        self.refresh()

    def refresh(self) -> None:
        """Reads the keys in force, which somebody may have replaced. Blocks."""
        self._signers = {purpose: keys.signer() for purpose, keys in self._purposes.items()}

    def ticket_secret(self) -> bytes:
        """What vouches for tickets, the same in all instances that have these keys; made when it is
        wanted first. Blocks."""
        path = self._folder / TICKETS / SECRET
        with _alone(path.parent):
            if not path.exists():
                _replace(path, os.urandom(SECRET_BYTES), 0o600)
            return path.read_bytes()

    def log(self, text: str) -> str:
        """A text about a log, signed: a checkpoint or a manifest."""
        return self._signers[LOG].signed(text)

    def receipt(self, text: str) -> str:
        """A receipt, signed."""
        return self._signers[RECEIPTS].signed(text)

    def rotate(self, purpose: str) -> VerifierKey:
        """A new key for one purpose; what has been signed stays verifiable. Blocks."""
        return self._purposes[purpose].rotate()

    def published(self) -> list[PublishedKey]:
        """Every public key there has been, the oldest of each purpose first. Blocks."""
        found = []
        for purpose, keys in self._purposes.items():
            verifiers = keys.verifiers()
            found += [
                PublishedKey(purpose, key.name, str(key), key is verifiers[-1]) for key in verifiers
            ]
        return found
