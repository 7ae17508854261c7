"""`torchair.ge_concrete_graph`: the old name of `_ge_concrete_graph`."""

import importlib
import sys
import warnings

warnings.warn(
    "torchair.ge_concrete_graph is deprecated; import from torchair and torchair.ge", DeprecationWarning, stacklevel=2
)
for _name in ("fx2ge_converter", "ge_apis", "supported_declaration"):
    _module = importlib.import_module(f"torchair._ge_concrete_graph.{_name}")
    sys.modules[f"{__name__}.{_name}"] = _module
    globals()[_name] = _module
