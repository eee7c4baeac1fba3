"""`/schema` and `/verify`: the description of the API, its page, and the page of the verifier. They
load nothing from other servers."""

from importlib.resources import files
from typing import Any

from litestar import Controller, MediaType, Response, get
from litestar.params import FromPath

from service.http.context import context
from service.http.page_caching import CachedPages
from service.http.problems import AnyRequest, Failed

ASSETS = {
    "swagger-ui-bundle.js": "text/javascript",
    "swagger-ui.css": "text/css",
    "favicon-32x32.png": "image/png",
}

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Arbiter API</title>
<link rel="stylesheet" href="/schema/assets/swagger-ui.css">
<link rel="icon" type="image/png" href="/schema/assets/favicon-32x32.png">
</head>
<body>
<div id="api"></div>
<script src="/schema/assets/swagger-ui-bundle.js"></script>
<script src="/schema/assets/start.js"></script>
</body>
</html>
"""

VERIFIER = files("service.web").joinpath("verify.html").read_text()

START = """SwaggerUIBundle({
  url: "/schema/openapi.json",
  dom_id: "#api",
  deepLinking: true,
  persistAuthorization: false,
  tryItOutEnabled: true,
  validatorUrl: null,
});
"""


class PagesController(Controller):
    """Pages for people, which are no part of the API's description."""

    include_in_schema = False
    middleware = (CachedPages(),)

    @get("/schema/openapi.json", sync_to_thread=False)
    def openapi_json(self, request: AnyRequest) -> Response[bytes]:
        """The description."""
        return Response(context(request).openapi_json, media_type=MediaType.JSON)

    @get(["/schema", "/"], sync_to_thread=False)
    def api(self) -> Response[str]:
        """The description as a page to read and try."""
        return Response(PAGE, media_type=MediaType.HTML)

    @get("/verify", sync_to_thread=False)
    def verifier(self) -> Response[str]:
        """The second verifier: one page that verifies bundles in the browser, without a server."""
        return Response(VERIFIER, media_type=MediaType.HTML)

    @get("/schema/assets/{name:str}", sync_to_thread=True)
    def asset(self, name: FromPath[str]) -> Response[Any]:
        """A file that the page of the API loads."""
        if name == "start.js":
            return Response(START, media_type="text/javascript")
        if name not in ASSETS:
            raise Failed("not_found")
        content = files("swagger_ui").joinpath("static", name).read_bytes()
        return Response(
            content, media_type=ASSETS[name], headers={"Cache-Control": "public, max-age=86400"}
        )
