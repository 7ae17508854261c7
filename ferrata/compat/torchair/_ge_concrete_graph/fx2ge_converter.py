"""`torchair._ge_concrete_graph.fx2ge_converter`."""

from ferrata.torchair.registry import declare_supported, register_fx_node_ge_converter  # noqa: F401
