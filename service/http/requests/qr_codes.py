"""Texts as QR codes."""

import io

import segno

MODULE = 4
"""Pixels of a module."""


def qr_code(text: str | None) -> str | None:
    """The text, if any, as a QR code (ISO/IEC 18004): an SVG document, black on white."""
    if text is None:
        return None
    picture = io.BytesIO()
    segno.make_qr(text, error="m").save(
        picture, kind="svg", scale=MODULE, light="white", xmldecl=False, nl=False
    )
    return picture.getvalue().decode()
