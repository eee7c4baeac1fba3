"""The public keys with which the service says that it signs, and has signed before."""

import warnings

from msgspec import Struct

from arbiter_client import signed_notes
from arbiter_client.asynchronous.calls import Calls
from arbiter_client.signed_notes import SignaturesNotChecked, is_signed


class _PublishedKey(Struct):
    key: str


class _KeyList(Struct):
    keys: tuple[_PublishedKey, ...]


class PublishedKeys:
    """They are read once, and again for a note that none of them has signed: there may be a new
    key."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._keys: tuple[str, ...] = ()

    async def have_signed(self, note: str) -> bool:
        """Whether one of the keys of receipts has signed the note. Without `cryptography` this is
        not checked: it is taken to be true, with a warning."""
        if not signed_notes.CAN_CHECK:
            reason = "the signatures of receipts are not checked"
            how = "install arbiter-client[signatures]"
            warnings.warn(f"{reason}: {how}", SignaturesNotChecked, stacklevel=2)
            return True
        if is_signed(note, self._keys):
            return True
        listed = await self._calls.get("/v1/keys", _KeyList)
        self._keys = tuple(one.key for one in listed.keys)
        return is_signed(note, self._keys)
