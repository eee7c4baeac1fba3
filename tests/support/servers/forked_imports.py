"""Imported once, by the process that is forked. What a program of the service needs is here then,
also what the framework imports when it makes an application; and a fork neither collects it again
nor copies it. Nothing of it reads the environment."""

import gc
from importlib import import_module

from service.app import api_description

for module in (
    "service.checking.whole_store",
    "service.demo_matches",
    "service.instance",
    "service.server.health",
    "service.server.process",
):
    import_module(module)
api_description()
gc.collect()
gc.freeze()
