"""Signing keys: one for each purpose, in files outside the database.

A purpose's folder has the current private key, `signing.key`, readable by its owner alone, and
`verifiers`, with every public key that was ever current, one a line, the newest last. Rotation
destroys the old private key; what it signed can be verified forever.
"""

import fcntl
import os
from binascii import b2a_base64
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import Meta, Struct

from domain.proof.notes import DASH, VerifierKey, verifier_key
from projections.evidence.case import LOG, RECEIPTS
from service.event_store.sqlite.high_water_mark import write_whole

PRIVATE, VERIFIERS = "signing.key", "verifiers"
SECRET_BYTES = 32
PRIVATE_MODE = 0o600
PURPOSES = (LOG, RECEIPTS)

TICKETS, SECRET = "tickets", "secret.key"
"""Folder and file of the secret that authenticates stream tickets; only the service checks it."""


class Signer:
    """An Ed25519 private key with a name; it signs notes."""

    def __init__(self, name: str, secret: bytes) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(secret)
        self.verifier = VerifierKey(name, self._key.public_key().public_bytes_raw())
        self._key_id = self.verifier.key_id
        self._line = f"\n{DASH}{name} "

    def sign(self, text: str) -> str:
        """The text as a signed note. It must end in a newline.

        Every action waits for this, so it builds the note directly instead of calling `written`.
        """
        assert text.endswith("\n"), "a note's text ends in a newline"
        raw = b2a_base64(self._key_id + self._key.sign(text.encode()))
        return f"{text}{self._line}{raw.decode()}"


class SigningKeys:
    """The keys of one purpose, in one folder; `name` is the service's name and the purpose."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._name = name

    def make(self) -> None:
        """Makes the first key, if there has never been one. Blocks. Raises FileNotFoundError if the
        current private key is missing; the operator must restore it or rotate."""
        with _locked(self._folder):
            if (self._folder / PRIVATE).exists():
                return
            if self.verifiers():
                raise FileNotFoundError(
                    f"{self._folder / PRIVATE} is missing: restore it, or run `arbiter keys rotate`"
                )
            self._replace()

    def signer(self) -> Signer:
        """The current key. Blocks. Raises FileNotFoundError if there is none."""
        return Signer(self._name, (self._folder / PRIVATE).read_bytes())

    def rotate(self) -> VerifierKey:
        """Makes a new current key; returns its public key. Blocks."""
        with _locked(self._folder):
            return self._replace()

    def _replace(self) -> VerifierKey:
        """Writes the public key to disk first, so that after a crash at any moment the current key
        exists and is among `verifiers`."""
        secret = os.urandom(SECRET_BYTES)
        verifier = Signer(self._name, secret).verifier
        lines = [*map(str, self.verifiers()), str(verifier)]
        key_lines = "".join(f"{line}\n" for line in lines)
        write_whole(self._folder / VERIFIERS, key_lines.encode())
        write_whole(self._folder / PRIVATE, secret, PRIVATE_MODE)
        return verifier

    def verifiers(self) -> list[VerifierKey]:
        """Every public key so far, the oldest first. Blocks. Raises Malformed."""
        path = self._folder / VERIFIERS
        lines = path.read_text(encoding="utf-8").split() if path.exists() else []
        return [verifier_key(line) for line in lines]


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Locks the folder, so that no other process changes its keys meanwhile."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


class PublishedKey(Struct, frozen=True):
    """A public key: what it signs, its name, the key in the form for verifiers, and whether it is
    the current one."""

    purpose: Annotated[str, Meta(description="What it signs")]
    name: Annotated[str, Meta(description="The name in its signatures")]
    key: str
    current: bool


class ServiceSigner:
    """The signing keys of a service, one for each purpose, in subfolders of `folder`. They are not
    in the database, so a copy of it cannot be used to sign."""

    def __init__(self, folder: Path, service: str) -> None:
        self._purposes = {
            purpose: SigningKeys(folder / purpose, f"{service}/{purpose}") for purpose in PURPOSES
        }
        self._folder = folder
        self._signers: dict[str, Signer] = {}
        self.use_ticket_secret: Callable[[bytes], None] | None = None
        """Called with the secret of tickets whenever the keys are read."""

    def make(self) -> None:
        """Makes the keys that are missing, and reads the current ones. Blocks."""
        for keys in self._purposes.values():
            keys.make()
        self.refresh()

    def refresh(self) -> None:
        """Reads the current keys again, which may have been rotated. Blocks."""
        self._signers = {purpose: keys.signer() for purpose, keys in self._purposes.items()}
        if self.use_ticket_secret is not None:
            self.use_ticket_secret(self.ticket_secret())

    def ticket_secret(self) -> bytes:
        """The secret for stream tickets, the same for all instances with this folder; made at the
        first call. Blocks."""
        path = self._folder / TICKETS / SECRET
        with _locked(path.parent):
            if not path.exists():
                write_whole(path, os.urandom(SECRET_BYTES), PRIVATE_MODE)
            return path.read_bytes()

    def log(self, text: str) -> str:
        """Signs a text about a log: a checkpoint or a manifest."""
        return self._signers[LOG].sign(text)

    def receipt(self, text: str) -> str:
        """Signs a receipt."""
        return self._signers[RECEIPTS].sign(text)

    @property
    def current(self) -> tuple[VerifierKey, ...]:
        """The public keys of what is signed now."""
        return tuple(signer.verifier for signer in self._signers.values())

    def rotate(self) -> list[VerifierKey]:
        """Makes a new key for each purpose, and a new secret for stream tickets. Earlier signatures
        stay verifiable; earlier tickets are worth nothing. Blocks."""
        path = self._folder / TICKETS / SECRET
        with _locked(path.parent):
            write_whole(path, os.urandom(SECRET_BYTES), PRIVATE_MODE)
        return [keys.rotate() for keys in self._purposes.values()]

    def published(self) -> list[PublishedKey]:
        """Every public key so far, the oldest of each purpose first. Blocks."""
        published_keys = []
        for purpose, keys in self._purposes.items():
            verifiers = keys.verifiers()
            published_keys += [
                PublishedKey(purpose, key.name, str(key), key is verifiers[-1]) for key in verifiers
            ]
        return published_keys
