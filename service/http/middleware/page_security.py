"""What a browser may do with an answer of the service: Content Security Policy, level 3.

Nothing comes from another host, no code or style runs that is not a file of the service's own or
named by its hash, and no other site shows an answer in a frame.
"""

from typing import Final

POLICY: Final = "Content-Security-Policy"
NO_FRAMES = "frame-ancestors 'none'"

DATA = f"default-src 'none'; {NO_FRAMES}"
"""For everything that is no page: a browser that shows it loads and runs nothing."""

_NO_FORMS = f"base-uri 'none'; form-action 'none'; {NO_FRAMES}"

PEOPLE_PAGE = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    f"manifest-src 'self'; {_NO_FORMS}"
)
"""The pages for people, and the documentation: they read from this service alone."""

API_PAGE = PEOPLE_PAGE.replace("img-src 'self'", "img-src 'self' data:")
"""The page of the API sends requests to this service. The icons in its style are `data:`."""

WORKER = f"{DATA}; connect-src 'self'"
"""For the script that stands between pages and the service: it fetches what they ask for."""

LOBBY_PAGE = PEOPLE_PAGE.replace("form-action 'none'", "form-action 'self'")
"""Its forms start matches between bots."""

EMBEDDED_PAGE = PEOPLE_PAGE.replace(NO_FRAMES, "frame-ancestors *")
"""A board that other sites show in a frame. It has nothing to press and knows no key."""


NO_REFERRER, SAME_ORIGIN = "no-referrer", "same-origin"
"""`Referrer-Policy`: no site gets the address of the page, or this one alone. With the first, a
form is sent without its origin."""


def page_headers(policy: str, referrer: str = NO_REFERRER) -> dict[str, str]:
    """The headers of a page: its links tell no other site where a reader comes from."""
    return {POLICY: policy, "Referrer-Policy": referrer}
