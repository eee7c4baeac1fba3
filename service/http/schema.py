"""`/schema` and `/verify`: the description of the API, its page, and that of the verifier; all are
served from here alone."""

from importlib.resources import files
from typing import Any

import msgspec
from litestar import MediaType, Response, get
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from service.http.description import described
from service.http.problems import Failed

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


def routes(document: dict[str, Any]) -> list[HTTPRouteHandler]:
    """The description, made of what the framework derived, and its page."""
    made = msgspec.json.encode(described(document))

    @get("/schema/openapi.json", sync_to_thread=False)
    def openapi_json() -> Response[Any]:
        """The description."""
        return Response(made, media_type=MediaType.JSON)

    return [openapi_json, page, asset, verifier]


@get(["/schema", "/"], sync_to_thread=False)
def page() -> Response[Any]:
    """The description as a page to read and try."""
    return Response(PAGE, media_type=MediaType.HTML)


@get("/verify", sync_to_thread=False)
def verifier() -> Response[Any]:
    """The second verifier: one page that judges bundles in the browser and asks nobody."""
    return Response(VERIFIER, media_type=MediaType.HTML)


@get("/schema/assets/{name:str}", sync_to_thread=True)
def asset(name: FromPath[str]) -> Response[Any]:
    """What the page needs."""
    if name == "start.js":
        return Response(START, media_type="text/javascript")
    if name not in ASSETS:
        raise Failed("not_found")
    content = files("swagger_ui").joinpath("static", name).read_bytes()
    return Response(
        content, media_type=ASSETS[name], headers={"Cache-Control": "public, max-age=86400"}
    )
