"""What random programs are made of, by category. Each recipe adds a call, or the few that belong together."""

from ferrata.torchair.testing.fuzz.recipes import arith, grad, index, nn, reduce, shape

__all__ = ["arith", "grad", "index", "nn", "reduce", "shape"]
