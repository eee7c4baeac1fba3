"""What a browser is sent: nothing but that it is a seat's turn, signed for its push service."""

import json
from base64 import urlsafe_b64decode

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256

from service.notices.web_push import KEPT_SECONDS, PushKey
from tests.support.instants import NOON, SECOND

ENDPOINT = "https://push.example:8443/send/abc?d=e"


def content(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def claims(headers: dict[str, str], public: str) -> dict[str, object]:
    """What the token of a message says, if the key has signed it. Raises InvalidSignature."""
    token, _, named = headers["authorization"].removeprefix("vapid t=").partition(", k=")
    assert named == public
    signed, _, signature = token.rpartition(".")
    both = content(signature)
    whole = encode_dss_signature(int.from_bytes(both[:32]), int.from_bytes(both[32:]))
    key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), content(public))
    key.verify(whole, signed.encode(), ec.ECDSA(SHA256()))
    said: dict[str, object] = json.loads(content(signed.partition(".")[2]))
    return said


def test_a_message_is_signed_for_its_push_service_alone() -> None:
    key = PushKey(b"secret", "https://play.example")
    headers = key.headers(ENDPOINT, NOON)
    assert claims(headers, key.public) == {
        "aud": "https://push.example:8443",
        "exp": NOON // SECOND + KEPT_SECONDS,
        "sub": "https://play.example",
    }
    assert int(headers["ttl"]) == KEPT_SECONDS <= 24 * 3600


def test_the_key_is_that_of_the_secret() -> None:
    assert PushKey(b"secret").public == PushKey(b"secret").public
    other = PushKey(b"other")
    assert len(content(other.public)) == 65
    forged = PushKey(b"secret").headers(ENDPOINT, NOON)
    token = forged["authorization"].partition(", k=")[0]
    with pytest.raises(InvalidSignature):
        claims({"authorization": f"{token}, k={other.public}"}, other.public)
