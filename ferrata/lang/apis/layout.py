"""Layout moves: transposes."""

from ferrata.lang.api import Api, Form, one

ROWS = (
    Api(
        id="Transpose",
        name="Transpose",
        category="layout",
        forms=(Form("call", "template<T> void Transpose(LT<T> dst, LT<T> src)"),),
        dtypes=one("int16_t", "uint16_t", "half"),
        pipe="PIPE_V",
        core="AIV",
        doc="dst[c*16+r] = src[r*16+c], r,c in 0..15.",
        rules=("AL32",),
        limits="dst may equal src.",
        notes="No mask.",
    ),
    Api(
        id="TransposeExt",
        name="Transpose",
        category="layout",
        forms=(
            Form(
                "call",
                (
                    "template<T> void Transpose(LT<T> dst, LT<T> src, LT<uint8_t> sharedTmpBuffer, const "
                    "TransposeParamsExt& p)"
                ),
            ),
        ),
        dtypes=one("int8_t", "uint8_t", "int16_t", "uint16_t", "half", "int32_t", "uint32_t", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc=(
            "ND2ND_B16: 16x16 transpose; NCHW2NHWC: `dst[n][h][w][c] = src[n][c][h][w]`; NHWC2NCHW: inverse; "
            "TYPE_NONE: nothing."
        ),
        rules=("AL32",),
        limits=(
            "ND2ND_B16: hSize=wSize=16, n/c ignored, in place allowed; others: nSize 0..65535, cSize 0..4095, "
            "hSize*wSize 0..4095, hSize*wSize*sizeof(T) multiple of 32, no in place; any size 0 = NOP."
        ),
        notes=(
            "Scratch bytes with h0 = 32 for 8-bit types else 16, w0 = 32/sizeof(T): ND2ND 0; NCHW2NHWC "
            "(cSize+2)*h0*w0*sizeof(T); NHWC2NCHW (2*cSize+1)*h0*w0*sizeof(T). Other enum values unsupported."
        ),
    ),
    Api(
        id="TransDataTo5HD",
        name="TransDataTo5HD",
        category="layout",
        forms=(
            Form(
                "call",
                (
                    "template<T> void TransDataTo5HD(const LocalTensor<T> (&dstList)[16], const LocalTensor<T> "
                    "(&srcList)[16], const TransDataTo5HDParams& p)"
                ),
            ),
            Form(
                "call",
                (
                    "template<T> void TransDataTo5HD(uint64_t dstList[16], uint64_t srcList[16], const "
                    "TransDataTo5HDParams& p)"
                ),
            ),
            Form(
                "call",
                ("template<T> void TransDataTo5HD(LT<uint64_t> dst, LT<uint64_t> src, const TransDataTo5HDParams& p)"),
            ),
        ),
        dtypes=one("int8_t", "uint8_t", "int16_t", "uint16_t", "half", "int32_t", "uint32_t", "float"),
        pipe="PIPE_V (address-tensor form also reads on PIPE_S)",
        core="AIV",
        doc=(
            "16 source blocks S0..S15 (32 B), 16 destination blocks D0..D15. b16: Di[j] = Sj[i]. b32: "
            "D(2c+r/8)[r%8] = Sr[c], r 0..15, c 0..7. b8: Di[16*dh+j] = Sj[16*sh+i], dh/sh = "
            "dstHighHalf/srcHighHalf."
        ),
        limits="AL32 for every address; repeatTimes 0..255 (0 = NOP); strides in 32-byte blocks; no overlap.",
        notes=(
            "uint64_t values are GetPhyAddr results. repeatTimes > 1: repeat r uses list address + "
            "r*RepStride*32. repeatTimes == 1: address + RepStride*32, so pass strides 0 for the plain case "
            "(documented quirk). b8: other half of Di kept (unclear; example shows zeros in a fresh buffer). "
            "NCHW->NC1HWC0 with C0=16: srcList spaced H*W elements, dstList spaced 16 elements, "
            "repeatTimes=H*W*sizeof(T)/32, dstRepStride 16, srcRepStride 1."
        ),
    ),
)
