"""The style and the script within a page, and how a Content Security Policy names them."""

from base64 import b64encode
from hashlib import sha256


def inline(page: str, element: str) -> str:
    """What is in the page's one element of this name, `style` or `script`, without attributes."""
    assert page.count(f"<{element}>") == 1, f"the page has one <{element}>"
    return page.partition(f"<{element}>")[2].partition(f"</{element}>")[0]


def source_hash(text: str) -> str:
    """How a policy names a style or a script (Content Security Policy, level 3, 2.3.1)."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
