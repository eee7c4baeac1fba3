"""`/docs`: the documentation, rendered at first use and served from here alone."""

from litestar import Controller, get
from litestar.exceptions import NotFoundException
from litestar.params import FromPath
from litestar.response.base import ASGIResponse

from service.http.context import root_of
from service.http.guards import EVERYBODY
from service.http.page_answers import page_answer
from service.http.page_security import PEOPLE_PAGE, page_headers, picture_policy
from service.http.problems import AnyRequest
from service.web.documentation import ROOT, documents


class DocumentationController(Controller):
    """The pages."""

    path = ROOT

    @get(guards=[EVERYBODY], sync_to_thread=True)
    def index(self, request: AnyRequest) -> ASGIResponse:
        """The first page of the documentation."""
        return _answer(request, "")

    @get("/{name:str}", guards=[EVERYBODY], sync_to_thread=True)
    def document(self, request: AnyRequest, name: FromPath[str]) -> ASGIResponse:
        """A page of the documentation, or a file that belongs to it."""
        return _answer(request, name)


def _answer(request: AnyRequest, name: str) -> ASGIResponse:
    served = documents(root_of(request))
    if name not in served:
        raise NotFoundException
    content, media_type = served[name]
    picture = media_type == "image/svg+xml"
    policy = picture_policy(content.decode()) if picture else PEOPLE_PAGE
    return page_answer(request, content, media_type, page_headers(policy))
