"""The mask state of the vector unit."""

from ferrata.lang.api import NONE, Api, Form, one

ROWS = (
    Api(
        id="SetMaskCount",
        name="SetMaskCount",
        category="mask",
        forms=(Form("call", "void SetMaskCount()"),),
        dtypes=NONE,
        pipe="PIPE_S",
        core="AIV",
        doc="Mask mode = Counter.",
        limits="Pair with SetMaskNorm.",
        notes=(
            "Persists across calls and into the next kernel on the core; count forms switch back to Normal on exit."
        ),
    ),
    Api(
        id="SetMaskNorm",
        name="SetMaskNorm",
        category="mask",
        forms=(Form("call", "void SetMaskNorm()"),),
        dtypes=NONE,
        pipe="PIPE_S",
        core="AIV",
        doc="Mask mode = Normal (default)",
    ),
    Api(
        id="SetVectorMaskBits",
        name="SetVectorMask",
        category="mask",
        forms=(
            Form(
                "call",
                (
                    "template<T, MaskMode mode=MaskMode::NORMAL> static void SetVectorMask(const uint64_t maskHigh, "
                    "const uint64_t maskLow)"
                ),
            ),
        ),
        dtypes=one(
            "int8_t",
            "uint8_t",
            "int16_t",
            "uint16_t",
            "half",
            "bfloat16_t",
            "int32_t",
            "uint32_t",
            "float",
            "int64_t",
            "uint64_t",
        ),
        pipe="PIPE_S",
        core="AIV",
        doc=(
            "128-bit mask register = maskHigh:maskLow as raw bits; in Counter mode the low 64 bits are the "
            "element count."
        ),
        limits="b32: maskHigh 0; b64: only 32 low bits; Counter: maskHigh 0.",
        notes=(
            "Argument order is high then low, opposite to mask[] arrays. Samples use it with default mode while "
            "Counter mode is active, so write raw bits whatever T and mode are. mask 0 makes following vector "
            "calls NOPs."
        ),
    ),
    Api(
        id="SetVectorMaskLen",
        name="SetVectorMask",
        category="mask",
        forms=(Form("call", "template<T, MaskMode mode=MaskMode::NORMAL> static void SetVectorMask(int32_t len)"),),
        dtypes=one(
            "int8_t",
            "uint8_t",
            "int16_t",
            "uint16_t",
            "half",
            "bfloat16_t",
            "int32_t",
            "uint32_t",
            "float",
            "int64_t",
            "uint64_t",
        ),
        pipe="PIPE_S",
        core="AIV",
        doc="NORMAL: lowest len bits 1, rest 0; COUNTER: register = len.",
        limits="NORMAL len 0..256/sizeof(T); larger clamps; negative undefined.",
    ),
    Api(
        id="ResetMask",
        name="ResetMask",
        category="mask",
        forms=(Form("call", "void ResetMask()"),),
        dtypes=NONE,
        pipe="PIPE_S",
        core="AIV",
        doc="Mask register = all 128 bits 1.",
        notes="Does not change the mode.",
    ),
)
