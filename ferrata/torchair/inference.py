"""`torchair.inference`: functions that are compiled once for all processes, and gears of dynamic sizes."""

from __future__ import annotations

from ferrata.torchair.cached import cache_compile, readable_cache
from ferrata.torchair.gears import set_dim_gears

__all__ = ["cache_compile", "readable_cache", "set_dim_gears"]
