"""Types, structures and enumerations that the calls take."""

from ferrata.lang.api import Struct

ROWS = (
    Struct(
        name="DataCopyParams",
        text=("uint16_t blockCount=1; uint16_t blockLen=0; uint16_t srcGap=0; uint16_t dstGap=0; ctors (); (all four)"),
        doc="Blocks of a copy, lengths and gaps in 32 bytes.",
        notes="srcStride and dstStride are other names of srcGap and dstGap (unions).",
    ),
    Struct(
        name="DataCopyExtParams",
        text="uint16_t blockCount=1; uint32_t blockLen=0; uint32_t srcStride=0; uint32_t dstStride=0; uint32_t rsv=0; "
        "ctors (); (all five)",
        doc="Blocks of DataCopyPad, in bytes.",
    ),
    Struct(
        name="DataCopyPadParams",
        text=(
            "bool isPad=false; uint8_t leftPadding=0; uint8_t rightPadding=0; uint64_t paddingValue=0; ctors "
            "(); (all four)"
        ),
        doc="Padding of DataCopyPad, older.",
    ),
    Struct(
        name="DataCopyPadExtParams<T>",
        text="bool isPad=false; uint8_t leftPadding=0; uint8_t rightPadding=0; T paddingValue=0; ctors (); (all four)",
        doc="Padding of DataCopyPad.",
    ),
    Struct(
        name="DataCopyEnhancedParams",
        text="BlockMode blockMode=BlockMode::BLOCK_MODE_NORMAL; DeqScale deqScale=DeqScale::DEQ_NONE; uint64_t "
        "deqValue=0; "
        "uint8_t sidStoreMode=0; bool isRelu=false; pad_t padMode=pad_t::PAD_NONE; uint64_t padValue=0; "
        "uint64_t deqTensorAddr=0; ctors (); (the first seven)",
        doc="No effect on dav-2201.",
        takes="blockMode deqScale deqValue sidStoreMode isRelu padMode padValue",
    ),
    Struct(
        name="Nd2NzParams",
        text="fields in order, uint16_t: ndNum=0, nValue=0, dValue=0, srcNdMatrixStride=0, srcDValue=0, "
        "dstNzC0Stride=0, "
        "dstNzNStride=0, dstNzMatrixStride=0; ctors (); (all eight)",
        doc="ND to NZ.",
    ),
    Struct(
        name="Nz2NdParamsFull",
        text="fields in order, uint16_t: ndNum=1, nValue=0, dValue=0, srcNdMatrixStride=1, srcNStride=0, dstDStride=0, "
        "dstNdMatrixStride=1; ctors (); (all seven)",
        doc="NZ to ND.",
    ),
    Struct(
        name="SliceInfo",
        text=(
            "fields in order, uint32_t: startIndex=0, endIndex=31, stride=0, burstLen=32, shapeValue=0; ctors "
            "(); (all five)"
        ),
        doc="One dimension of a slice.",
        notes="(unclear: the unit of the default burstLen; blocks, as everywhere else)",
    ),
    Struct(
        name="UnaryRepeatParams",
        text=(
            "fields in order: uint32_t blockNumber=8; uint16_t dstBlkStride=1; uint16_t srcBlkStride=1; uint8_t "
            "dstRepStride=8; uint8_t srcRepStride=8; bool repeatStrideMode=false; bool strideSizeMode=false; bool "
            "halfBlock=false. ctors: (); (u16 dstBlk, u16 srcBlk, u8 dstRep, u8 srcRep); same + bool halfBlock"
        ),
        doc="Strides in 32-byte blocks.",
        notes=(
            "blockNumber, repeatStrideMode, strideSizeMode reserved; halfBlock field described for CastDequant "
            "with the opposite meaning of its template parameter (unclear; use the template parameter)"
        ),
        takes="dstBlkStride srcBlkStride dstRepStride srcRepStride [halfBlock]",
    ),
    Struct(
        name="BinaryRepeatParams",
        text=(
            "fields in order: uint32_t blockNumber=8; uint8_t dstBlkStride=1, src0BlkStride=1, src1BlkStride=1, "
            "dstRepStride=8, src0RepStride=8, src1RepStride=8; bool repeatStrideMode=false; bool "
            "strideSizeMode=false. ctors: (); (dstBlk, src0Blk, src1Blk, dstRep, src0Rep, src1Rep) all uint8_t"
        ),
        doc="Strides in 32-byte blocks.",
        notes="Values above 255 truncate silently.",
        takes="dstBlkStride src0BlkStride src1BlkStride dstRepStride src0RepStride src1RepStride",
    ),
    Struct(
        name="CopyRepeatParams",
        text=(
            "fields in order, uint16_t: dstStride, srcStride, dstRepeatSize=8, srcRepeatSize=8; ctors (); "
            "(dstStride, srcStride, dstRepeatSize, srcRepeatSize)"
        ),
        doc="Strides in 32-byte blocks.",
        notes="Default of the first two is a named data-copy stride constant (unclear value; 0)",
    ),
    Struct(
        name="BrcbRepeatParams",
        text=(
            "fields in order: uint32_t blockNumber=8; uint16_t dstRepStride=8; uint16_t dstBlkStride=1; uint8_t "
            "src0BlkStride=1, src1BlkStride=1, src0RepStride=8, src1RepStride=8; bool repeatStrideMode=false, "
            "strideSizeMode=false. ctors: (); (uint16_t dstBlkStride, uint16_t dstRepStride)"
        ),
        doc="Only dstBlkStride and dstRepStride used.",
        notes="Constructor order differs from field order.",
        takes="dstBlkStride dstRepStride",
    ),
    Struct(
        name="GatherRepeatParams",
        text=(
            "fields in order: uint32_t blockNumber=8; uint16_t dstRepStride=8; uint8_t dstBlkStride=1, "
            "src0BlkStride=1, src1BlkStride=1, src0RepStride=8, src1RepStride=8; bool repeatStrideMode=false, "
            "strideSizeMode=false. ctors: (); (uint8_t dstBlkStride, uint8_t dstRepStride)"
        ),
        doc="Only dstBlkStride and dstRepStride used.",
        notes="Constructor order differs from field order.",
        takes="dstBlkStride dstRepStride",
    ),
    Struct(
        name="GatherMaskParams",
        text=(
            "fields in order: uint8_t src0BlockStride=1; uint16_t repeatTimes=0; uint16_t src0RepeatStride=8; "
            "uint8_t src1RepeatStride=8. ctors: (); (all four in order)"
        ),
        doc="Strides in 32-byte blocks.",
    ),
    Struct(
        name="GatherMaskMode",
        text=(
            "enum class : uint8_t { VERSION_V1=0, VERSION_V2=1 }; constants defaultGatherMaskMode and "
            "defaultGahterMaskMode = VERSION_V2 on 2201"
        ),
        doc="Reserved selector.",
    ),
    Struct(
        name="VdeqInfo",
        text=(
            "float vdeqScale[16]={0}; int16_t vdeqOffset[16]={0}; bool vdeqSignMode[16]={0}; ctors (); (const "
            "float[16], const int16_t[16], const bool[16])"
        ),
        doc="16 dequantisation parameter sets.",
    ),
    Struct(
        name="MrgSort4Info",
        text=(
            "uint16_t elementLengths[4]={0}; bool ifExhaustedSuspension=false; uint16_t validBit=0; uint8_t "
            "repeatTimes=1; ctors (); (const uint16_t[4], const bool, const uint16_t validBit, const uint16_t "
            "repeatTimes)"
        ),
        doc="MrgSort parameters.",
        notes="repeatTimes argument is 16-bit, field 8-bit.",
    ),
    Struct(
        name="MrgSortSrcList",
        text="template<T> struct { LocalTensor<T> src1, src2, src3, src4; } ctors (); (4 LocalTensor<T>)",
        doc="The four queues.",
        notes="Class template argument deduction from the 4-tensor constructor is used by samples.",
    ),
    Struct(
        name="TransDataTo5HDParams",
        text=(
            "bool dstHighHalf=false; bool srcHighHalf=false; uint8_t repeatTimes=1; uint16_t dstRepStride=0; "
            "uint16_t srcRepStride=0; ctors (); (all five in order), constexpr"
        ),
        doc="TransDataTo5HD parameters.",
        notes="NCHW_CONV_ADDR_LIST_SIZE = 16.",
    ),
    Struct(
        name="TransposeParamsExt",
        text=(
            "uint16_t nSize=0, cSize=0, hSize=0, wSize=0; TransposeType "
            "transposeType=TransposeType::TRANSPOSE_ND2ND_B16; ctors (); (all five in order), constexpr"
        ),
        doc="Extended Transpose parameters.",
    ),
    Struct(
        name="TransposeType",
        text=(
            "enum class : uint8_t { TRANSPOSE_TYPE_NONE, TRANSPOSE_NZ2ND_0213, TRANSPOSE_NZ2NZ_0213, "
            "TRANSPOSE_NZ2NZ_012_WITH_N, TRANSPOSE_NZ2ND_012_WITH_N, TRANSPOSE_NZ2ND_012_WITHOUT_N, "
            "TRANSPOSE_NZ2NZ_012_WITHOUT_N, TRANSPOSE_ND2ND_ONLY, TRANSPOSE_ND_UB_GM, TRANSPOSE_GRAD_ND_UB_GM, "
            "TRANSPOSE_ND2ND_B16, TRANSPOSE_NCHW2NHWC, TRANSPOSE_NHWC2NCHW }"
        ),
        doc="0-based consecutive.",
        notes="Only NONE and the last three are usable in basic Transpose.",
    ),
    Struct(
        name="RoundMode",
        text=(
            "enum class { CAST_NONE=0, CAST_RINT, CAST_FLOOR, CAST_CEIL, CAST_ROUND, CAST_TRUNC, CAST_ODD, "
            "CAST_HYBRID }"
        ),
        doc="Rounding selector.",
        notes="CAST_HYBRID never valid on dav-2201; underlying type (unclear; int)",
    ),
    Struct(
        name="CMPMODE",
        text="enum class with members EQ, NE, GE, LE, GT, LT",
        doc="Comparison selector.",
        notes="Numeric values (unclear); use names only.",
    ),
    Struct(
        name="SELMODE",
        text="enum class : uint8_t { VSEL_CMPMASK_SPR=0, VSEL_TENSOR_SCALAR_MODE, VSEL_TENSOR_TENSOR_MODE }",
        doc="Select mode 0, 1, 2.",
    ),
    Struct(
        name="MaskMode",
        text="enum class : uint8_t { NORMAL=0, COUNTER }",
        doc="Mask mode argument of SetVectorMask.",
    ),
    Struct(
        name="ReduceType",
        text="enum class { SUM, MAX, MIN } (other members may exist)",
        doc="Reduction operator.",
        notes="Numeric values (unclear)",
    ),
    Struct(
        name="ReduceOrder",
        text="enum class { ORDER_VALUE_INDEX, ORDER_INDEX_VALUE, ORDER_ONLY_VALUE, ORDER_ONLY_INDEX }",
        doc="Result layout of ReduceRepeat MAX/MIN.",
        notes="Numeric values (unclear)",
    ),
    Struct(
        name="SaturationMode",
        text="enum class : uint8_t { FLOAT, FLOAT8, INT, CAST }",
        doc="Saturation selector.",
        notes="dav-2201 page lists only FLOAT and CAST.",
    ),
    Struct(
        name="MASK_PLACEHOLDER",
        text="constant passed as mask when isSetMask=false",
        doc="Value irrelevant.",
        notes=(
            "Make it a typed constexpr uint64_t variable (not a literal 0) so the scalar-mask overload is chosen, "
            "and usable where int32_t mask is expected."
        ),
    ),
    Struct(
        name="half",
        text="16-bit IEEE binary16: 1 sign, 5 exponent, 10 mantissa bits",
        doc="Scalar element type; construct from float/int literals, convert to float.",
        notes=(
            "MAX 65504; subnormals exist; MSB of mantissa set = quiet NaN. Scalar arithmetic operators (unclear; "
            "convert through float)"
        ),
    ),
    Struct(
        name="bfloat16_t",
        text="16-bit: 1 sign, 8 exponent, 7 mantissa bits (top half of binary32)",
        doc="Scalar element type; no immediate initialisation, build with Cast(float)",
        notes=(
            "MAX 3.3895314e38; on dav-2201 usable in Cast, Duplicate, Gather, GatherMask, Brcb, Copy, not in "
            "arithmetic."
        ),
    ),
    Struct(
        name="int4b_t",
        text="signed 4-bit, -8..7, two per byte, element 2k in bits 3:0, 2k+1 in bits 7:4",
        doc="tensor-only element type.",
        notes=(
            "Obtain LocalTensor<int4b_t> by ReinterpretCast from int8_t; on dav-2201 vector use limited to Cast "
            "with half."
        ),
    ),
    Struct(
        name="constants",
        text=(
            "const int32_t DEFAULT_BLK_NUM=8; const int32_t DEFAULT_BLK_STRIDE=1; const uint8_t "
            "DEFAULT_REPEAT_STRIDE=8; NCHW_CONV_ADDR_LIST_SIZE=16; MRG_SORT_ELEMENT_LEN=4; VDEQ_TENSOR_SIZE=16"
        ),
        doc="Named constants used by the structs above.",
        notes="Types of the last three (unclear; any integral constexpr)",
    ),
)
