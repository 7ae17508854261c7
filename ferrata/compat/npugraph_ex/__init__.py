"""The import name `npugraph_ex`: operators captured and run as they are, without a GE graph."""

from ferrata.torchair.graph_ex import CompilerConfig, compile_fx, get_compiler, get_npu_backend  # noqa: F401
from ferrata.torchair.patterns import register_replacement  # noqa: F401
from npugraph_ex import inference, scope  # noqa: F401
