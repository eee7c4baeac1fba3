"""`/schema`, `/verify`, `/docs` and `/assets`: the description of the API and its page, the page of
the verifier, the documentation, and what the pages for people load. They load nothing from other
servers."""

from importlib.resources import files

from litestar import Controller
from litestar.exceptions import NotFoundException
from litestar.params import FromPath
from litestar.response.base import ASGIResponse

from service.http.access.guards import EVERYBODY
from service.http.description.routing import get
from service.http.errors.problems import AnyRequest, Failed
from service.http.middleware.page_security import API_PAGE, NO_FRAMES, PEOPLE_PAGE, page_headers
from service.http.people.pages import in_language, language_of, page_answer
from service.http.requests.context import context, root_of
from service.http.requests.request_body import JSON
from service.web.assets import ASSETS as PEOPLE_ASSETS
from service.web.assets import RELEASE, TYPES
from service.web.build import page, policy_of
from service.web.documentation import ROOT, SOURCES, documents
from service.web.first_use import made_at_first_use
from service.web.texts import FALLBACK

ASSETS = {
    "swagger-ui-bundle.js": "text/javascript",
    "swagger-ui.css": "text/css",
    "favicon-32x32.png": "image/png",
}

OWN_ASSETS = {"start.js": "text/javascript", "page.css": "text/css"}

FOREVER = {"Cache-Control": "public, max-age=31536000, immutable"}

WEB = files("service.web")

PAGE = WEB.joinpath("schema", "page.html").read_text(encoding="utf-8")
PAGE_HEADERS = page_headers(API_PAGE)


class PagesController(Controller):
    """Pages for people, which are no part of the API's description."""

    include_in_schema = False

    @get("/schema/openapi.json", guards=[EVERYBODY], sync_to_thread=True)
    def openapi_json(self, request: AnyRequest) -> ASGIResponse:
        """The description."""
        return page_answer(request, context(request).description(), JSON)

    @get("/schema", guards=[EVERYBODY], sync_to_thread=True)
    def api(self, request: AnyRequest) -> ASGIResponse:
        """The description as a page to read and try."""
        language = language_of(request)
        notice = f'<p lang="{language.code}">{language.say("docs.english")}</p>'
        english = "" if language.code == FALLBACK else notice
        here = PAGE.replace("{{ root }}", root_of(request)).replace("{{ english }}", english)
        return page_answer(request, here.encode(), headers=PAGE_HEADERS | in_language(language))

    @get("/verify", guards=[EVERYBODY], sync_to_thread=True)
    def verifier(self, request: AnyRequest) -> ASGIResponse:
        """The second verifier: one page that verifies bundles in the browser, without a server."""
        language = language_of(request)
        whole, headers = _verifier(language.code)
        return page_answer(request, whole.encode(), headers=headers | in_language(language))

    @get("/favicon.ico", guards=[EVERYBODY], sync_to_thread=True)
    def icon(self, request: AnyRequest) -> ASGIResponse:
        """The icon of every page: browsers ask for it by this name."""
        return _swagger_file(request, "favicon-32x32.png")

    @get("/schema/assets/{name:str}", guards=[EVERYBODY], sync_to_thread=True)
    def asset(self, request: AnyRequest, name: FromPath[str]) -> ASGIResponse:
        """A file that the page of the API loads."""
        if name in OWN_ASSETS:
            own = WEB.joinpath("schema", name).read_bytes()
            return page_answer(request, own, OWN_ASSETS[name])
        if name not in ASSETS:
            raise Failed("not_found")
        return _swagger_file(request, name)

    @get("/assets/{name:path}", guards=[EVERYBODY], sync_to_thread=True)
    def people_asset(self, request: AnyRequest, name: FromPath[str]) -> ASGIResponse:
        """What the pages for people load, by its path. Behind the release, as pages name it, it
        never changes; that of another release is not found."""
        path = name.removeprefix(RELEASE)
        if path not in PEOPLE_ASSETS:
            raise Failed("not_found")
        kind = TYPES[path.rpartition(".")[2]]
        return page_answer(request, PEOPLE_ASSETS[path], kind, None if path == name else FOREVER)


@made_at_first_use
def _verifier(language: str) -> tuple[str, dict[str, str]]:
    """The page of the verifier in a language, and its headers."""
    whole = page(language=language)
    # The page forbids the rest by itself, for those who have saved it; frames only a header can.
    return whole, page_headers(f"{policy_of(whole)}; {NO_FRAMES}")


def _swagger_file(request: AnyRequest, name: str) -> ASGIResponse:
    content = files("swagger_ui").joinpath("static", name).read_bytes()
    return page_answer(request, content, ASSETS[name])


class DocumentationController(Controller):
    """The pages."""

    path = ROOT

    @get(guards=[EVERYBODY], sync_to_thread=True)
    def index(self, request: AnyRequest) -> ASGIResponse:
        """The first page of the documentation."""
        return _documented(request, "")

    @get("/{name:str}", guards=[EVERYBODY], sync_to_thread=True)
    def document(self, request: AnyRequest, name: FromPath[str]) -> ASGIResponse:
        """A page of the documentation, or a file that belongs to it."""
        return _documented(request, name)


def _documented(request: AnyRequest, name: str) -> ASGIResponse:
    language = language_of(request)
    served = documents(root_of(request), language.code)
    if name not in served:
        raise NotFoundException
    content, media_type = served[name]
    headers = page_headers(PEOPLE_PAGE)
    if name in SOURCES:
        headers |= in_language(language)
    return page_answer(request, content, media_type, headers)
