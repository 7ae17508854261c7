"""dtype symbols beyond torch's own: codes that operators take as attributes. Arithmetic in them is not emulated."""

from __future__ import annotations

__all__ = ["float4_e1m2fn_x2", "float4_e2m1fn_x2", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "hifloat8", "int4"]

int4 = 285
hifloat8 = 290
float8_e5m2 = 291
float8_e4m3fn = 292
float8_e8m0fnu = 293
float4_e2m1fn_x2 = 296
float4_e1m2fn_x2 = 297
