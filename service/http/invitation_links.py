"""The link of an invitation, and its picture to be scanned.

The token stands in the fragment, which browsers send to nobody: neither the service's logs nor a
proxy's have it, and programs that open links to show a preview cannot accept it.
"""

import io
from uuid import UUID

import segno

from service.http.problems import AnyRequest

PATH = "/play"
"""Where the page of an invitation stands, with the id of its match behind."""

MODULE = 4
"""The side of a QR code's module, in pixels; the image can be scaled."""


def link(public_url: str | None, request: AnyRequest, match_id: UUID, token: str) -> str:
    """The link that an organiser hands out: at the service's public address, or without that at the
    address to which the request was sent."""
    return f"{base_url(public_url, request)}{PATH}/{match_id}#{token}"


def base_url(public_url: str | None, request: AnyRequest) -> str:
    """How links to the service begin."""
    return public_url or str(request.base_url).rstrip("/")


def qr_code(text: str) -> str:
    """The text as a QR code (ISO/IEC 18004): an SVG document, black on white."""
    picture = io.BytesIO()
    segno.make_qr(text, error="m").save(
        picture, kind="svg", scale=MODULE, light="white", xmldecl=False, nl=False
    )
    return picture.getvalue().decode()
