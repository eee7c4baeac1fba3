"""`/docs`: the documentation, rendered at first use and served from here alone."""

from litestar import Response, get
from litestar.exceptions import NotFoundException
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from service.http.caching import PAGE, is_unchanged
from service.http.context import root_of
from service.http.guards import EVERYBODY
from service.http.page_security import DOCUMENTATION, page_headers, picture_policy
from service.http.problems import AnyRequest
from service.web.documentation import ROOT, Document, documents


def routes() -> list[HTTPRouteHandler]:
    """The pages."""

    @get(ROOT, guards=[EVERYBODY], sync_to_thread=True)
    def index(request: AnyRequest) -> Response[bytes]:
        """The first page of the documentation."""
        return _answer(documents(root_of(request))[""], request)

    @get(f"{ROOT}/{{name:str}}", guards=[EVERYBODY], sync_to_thread=True)
    def page(request: AnyRequest, name: FromPath[str]) -> Response[bytes]:
        """A page of the documentation, or a file that belongs to it."""
        served = documents(root_of(request))
        if name not in served:
            raise NotFoundException
        return _answer(served[name], request)

    return [index, page]


def _answer(document: Document, request: AnyRequest) -> Response[bytes]:
    picture = document.media_type == "image/svg+xml"
    policy = picture_policy(document.content.decode()) if picture else DOCUMENTATION
    headers = {"ETag": document.tag, "Cache-Control": PAGE, **page_headers(policy)}
    if is_unchanged(request, document.tag):
        return Response(b"", status_code=304, headers=headers, media_type=document.media_type)
    return Response(document.content, headers=headers, media_type=document.media_type)
