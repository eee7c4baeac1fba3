"""What a browser is sent when it is a seat's turn: an empty message by Web Push (RFC 8030), so
that nothing of the match is in it, signed by VAPID (RFC 8292)."""

from base64 import urlsafe_b64encode
from urllib.parse import urlsplit

import msgspec
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

SECOND = 1_000_000

KEPT_SECONDS = 12 * 3600
"""For how long a push service keeps a message for a device that is off, and how long it may be
signed for."""

_CURVE = ec.SECP256R1()
_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
"""The order of the curve P-256 (SEC 2, section 2.4.2)."""


class PushKey:
    """The key by which push services know this service, made from a secret of it. `contact` is
    an https address of the operator."""

    def __init__(self, secret: bytes, contact: str | None = None) -> None:
        drawn = HKDF(SHA256(), 48, None, b"arbiter web push").derive(secret)
        self._key = ec.derive_private_key(1 + int.from_bytes(drawn) % (_ORDER - 1), _CURVE)
        self._contact = contact

    @property
    def public(self) -> str:
        """The form that browsers take: an uncompressed point in base64url."""
        point = self._key.public_key()
        return _text(point.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint))

    def headers(self, endpoint: str, now: int) -> dict[str, str]:
        """The headers of a message to an endpoint, now in microseconds."""
        scheme, host, *_ = urlsplit(endpoint)
        claims: dict[str, str | int] = {
            "aud": f"{scheme}://{host}",
            "exp": now // SECOND + KEPT_SECONDS,
        }
        if self._contact is not None and self._contact.startswith("https://"):
            claims["sub"] = self._contact
        return {
            "authorization": f"vapid t={self._token(claims)}, k={self.public}",
            "ttl": str(KEPT_SECONDS),
            "urgency": "high",
        }

    def _token(self, claims: dict[str, str | int]) -> str:
        """A JSON Web Token by ES256 (RFC 7518, section 3.4)."""
        parts = ({"typ": "JWT", "alg": "ES256"}, claims)
        signing_input = ".".join(_text(msgspec.json.encode(part)) for part in parts)
        r, s = decode_dss_signature(self._key.sign(signing_input.encode(), ec.ECDSA(SHA256())))
        return f"{signing_input}.{_text(r.to_bytes(32) + s.to_bytes(32))}"


def _text(content: bytes) -> str:
    return urlsafe_b64encode(content).rstrip(b"=").decode()
