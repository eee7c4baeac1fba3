"""The manifests for Kubernetes, read."""

from typing import Any

from tests.support.deploy.manifests import DEPLOY, documents

BASE, EXAMPLE = DEPLOY / "kubernetes" / "base", DEPLOY / "kubernetes" / "example"
NGINX = DEPLOY / "nginx"
FOLDERS = (NGINX, BASE, EXAMPLE)
KUSTOMIZATIONS = {folder: documents(folder / "kustomization.yaml")[0] for folder in FOLDERS}
RESOURCES: list[Any] = [
    document
    for folder, kustomization in KUSTOMIZATIONS.items()
    for name in kustomization.get("resources", [])
    if (folder / name).is_file()
    for document in documents(folder / name)
]


def found(kind: str, name: str) -> Any:
    (resource,) = (r for r in RESOURCES if r["kind"] == kind and r["metadata"]["name"] == name)
    return resource


WORKER = found("StatefulSet", "arbiter")
PODS = {
    r["metadata"]["name"]: r["spec"]["template"]
    for r in RESOURCES
    if r["kind"] in ("StatefulSet", "Deployment")
}
SPEC = WORKER["spec"]["template"]["spec"]
CONTAINERS = [
    container
    for pod in PODS.values()
    for container in [*pod["spec"].get("initContainers", []), *pod["spec"]["containers"]]
]
