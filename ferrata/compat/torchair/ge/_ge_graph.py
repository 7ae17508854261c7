"""`torchair.ge._ge_graph`: a private path that existing converters import from."""

from ferrata.torchair.ge import Cast, Clone, Const, DataType, Format, Tensor, TensorSpec, attr, custom_op  # noqa: F401
