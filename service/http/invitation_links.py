"""The link of an invitation, and its picture to be scanned.

The token stands in the fragment, which browsers send to nobody: neither the service's logs nor a
proxy's have it, and programs that open links to show a preview cannot accept it.
"""

import io
from ipaddress import IPv6Address
from uuid import UUID

import segno

from service.http.problems import AnyRequest
from service.notices.host_names import parsed

PATH = "/play"
"""Where the page of an invitation stands, with the id of its match behind."""

MODULE = 4
"""The side of a QR code's module, in pixels; the image can be scaled."""


def link(public_url: str | None, request: AnyRequest, match_id: UUID, token: str) -> str:
    """The link that an organiser hands out."""
    return f"{base_url(public_url, request)}{PATH}/{match_id}#{token}"


def base_url(public_url: str | None, request: AnyRequest) -> str:
    """How links to the service begin: with its public address, or without that with the address at
    which it listens. Never with the `Host` of the request, whose sender may write anything in
    it."""
    if public_url is not None:
        return public_url
    host, port = request.scope["server"] or ("127.0.0.1", None)
    listening = parsed(host)
    if isinstance(listening, IPv6Address):
        host = str(listening.ipv4_mapped or f"[{listening}]")
    return f"http://{host}" if port in (None, 80) else f"http://{host}:{port}"


def qr_code(text: str) -> str:
    """The text as a QR code (ISO/IEC 18004): an SVG document, black on white."""
    picture = io.BytesIO()
    segno.make_qr(text, error="m").save(
        picture, kind="svg", scale=MODULE, light="white", xmldecl=False, nl=False
    )
    return picture.getvalue().decode()
