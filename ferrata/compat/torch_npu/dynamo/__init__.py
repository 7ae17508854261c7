"""torch_npu.dynamo: `torchair` is imported when it is first used."""

import importlib


def __getattr__(name):
    if name == "torchair":
        return importlib.import_module("torchair")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
