"""Reductions, their readback registers and their older names."""

from ferrata.lang.api import Alias, Api, Form, one, pairs
from ferrata.lang.apis.families import reduction

ROWS = (
    Api(
        id="ReduceDataBlock",
        name="ReduceDataBlock",
        category="reduce",
        forms=reduction("ReduceDataBlock", operation=True),
        dtypes=pairs("half <- half", "float <- float"),
        pipe="PIPE_V",
        core="AIV",
        doc=(
            "One result per 32-byte source block: op over its active lanes; result b of repeat r at dst + "
            "r*dstRepStride*(8*sizeof(T)) + b*sizeof(T) bytes."
        ),
        rules=("NOP0", "OV"),
        limits=(
            "src 32-byte aligned; dst 16-byte (half) / 32-byte (float) aligned; repeatTime 0..255; strides 0..65535."
        ),
        notes=(
            "dstRepStride unit 16 B half, 32 B float. SUM by adjacent-pair binary tree, every node rounded to T. "
            "Block with no active lane: dst element not written. Counter mode allowed: block count = "
            "ceil(n/elements per block)"
        ),
    ),
    Api(
        id="ReduceRepeat",
        name="ReduceRepeat",
        category="reduce",
        forms=reduction("ReduceRepeat", operation=True, tail=", ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX"),
        dtypes=pairs("half <- half", "float <- float"),
        pipe="PIPE_V",
        core="AIV",
        doc=(
            "One result per repeat over active lanes; MAX/MIN also yield the lane index within the repeat, "
            "smallest index on ties."
        ),
        rules=("NOP0", "OV"),
        limits=(
            "src 32-byte aligned; repeatTime 0..255; strides 0..65535; dst alignment = dstRepStride unit: SUM and "
            "ONLY_VALUE sizeof(T); VALUE_INDEX and INDEX_VALUE 2*sizeof(T); ONLY_INDEX 4 bytes."
        ),
        notes=(
            "Order ignored for SUM. Index stored as raw integer bits: 16-bit for half, 32-bit for float; "
            "ONLY_INDEX always uint32_t. SUM is an adjacent-pair tree over 128/64 lanes. NaN in any active lane "
            "-> NaN (index then unclear). In Counter mode ceil(n/E) repeats run, last one partial; in-place "
            "chains dst==src work because repeats run in order. Updates the max/min readback register."
        ),
    ),
    Api(
        id="ReducePairElem",
        name="ReducePairElem",
        category="reduce",
        forms=reduction("ReducePairElem", operation=True),
        dtypes=pairs("half <- half", "float <- float"),
        pipe="PIPE_V",
        core="AIV",
        doc="dst[r*(E/2)+k] = src lane 2k + src lane 2k+1 of repeat r, E = 256/sizeof(T)",
        rules=("AL32", "NOP0", "OV"),
        limits="repeatTime 0..255; strides 0..65535; dstRepStride unit 128 bytes.",
        notes="Both lanes masked off: dst element kept. Exactly one active: (unclear; result is that lane alone)",
    ),
    Api(
        id="ReduceMaxCount",
        name="ReduceMax",
        category="reduce",
        forms=(
            Form(
                "count",
                (
                    "template<T> void ReduceMax(LT<T> dst, LT<T> src, LT<T> sharedTmpBuffer, const int32_t count, "
                    "bool calIndex = 0)"
                ),
            ),
        ),
        dtypes=one("half", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="dst[0] = max/min of src[0..count); if calIndex dst[1] = bits of its index (smallest on ties)",
        limits=(
            "src and sharedTmpBuffer 32-byte aligned; dst aligned as ReduceRepeat value/index; count fits UB; tmp "
            "size in notes; dst may overlap tmp; tmp may reuse src; a count of 0 writes nothing."
        ),
        notes=(
            "Only dst[0] written when calIndex is false. half index limited to 65535. Tmp elements: "
            "Eb=32/sizeof(T), E=256/sizeof(T), R=ceil(count/E) min 1, up(x)=ceil to Eb multiple; no index: "
            "up(2R); index: n2=2*ceil(2R/E); up(2R)+up(n2), plus up(2*ceil(n2/E)) if n2>2. Tmp content is "
            "clobbered. NaN propagates; in half saturation mode each repeat with a NaN yields 0 which then "
            "competes."
        ),
    ),
    Api(
        id="ReduceMinCount",
        name="ReduceMin",
        category="reduce",
        forms=(
            Form(
                "count",
                (
                    "template<T> void ReduceMin(LT<T> dst, LT<T> src, LT<T> sharedTmpBuffer, const int32_t count, "
                    "bool calIndex = 0)"
                ),
            ),
        ),
        dtypes=one("half", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="dst[0] = max/min of src[0..count); if calIndex dst[1] = bits of its index (smallest on ties)",
        limits=(
            "src and sharedTmpBuffer 32-byte aligned; dst aligned as ReduceRepeat value/index; count fits UB; tmp "
            "size in notes; dst may overlap tmp; tmp may reuse src; a count of 0 writes nothing."
        ),
        notes=(
            "Only dst[0] written when calIndex is false. half index limited to 65535. Tmp elements: "
            "Eb=32/sizeof(T), E=256/sizeof(T), R=ceil(count/E) min 1, up(x)=ceil to Eb multiple; no index: "
            "up(2R); index: n2=2*ceil(2R/E); up(2R)+up(n2), plus up(2*ceil(n2/E)) if n2>2. Tmp content is "
            "clobbered. NaN propagates; in half saturation mode each repeat with a NaN yields 0 which then "
            "competes."
        ),
    ),
    Api(
        id="ReduceMaxRepeat",
        name="ReduceMax",
        category="reduce",
        forms=(
            Form(
                "mask",
                (
                    "template<T> void ReduceMax(LT<T> dst, LT<T> src, LT<T> sharedTmpBuffer, const int32_t mask, "
                    "const int32_t repeatTime, const int32_t srcRepStride, bool calIndex = 0)"
                ),
            ),
            Form(
                "bits",
                (
                    "template<T> void ReduceMax(LT<T> dst, LT<T> src, LT<T> sharedTmpBuffer, const uint64_t mask[], "
                    "const int32_t repeatTime, const int32_t srcRepStride, bool calIndex = 0)"
                ),
            ),
        ),
        dtypes=one("half", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="max/min over active lanes of all repeats, source block stride 1; dst as in count form.",
        rules=("NOP0",),
        limits="As count form with R = repeatTime; repeatTime up to INT32_MAX; srcRepStride 0..65535 blocks.",
        notes=(
            "Index = repeat*E + lane for full masks and srcRepStride 8 (unclear for other strides or partial "
            "masks; use repeat*E + lane)"
        ),
    ),
    Api(
        id="ReduceMinRepeat",
        name="ReduceMin",
        category="reduce",
        forms=(
            Form(
                "mask",
                (
                    "template<T> void ReduceMin(LT<T> dst, LT<T> src, LT<T> sharedTmpBuffer, const int32_t mask, "
                    "const int32_t repeatTime, const int32_t srcRepStride, bool calIndex = 0)"
                ),
            ),
            Form(
                "bits",
                (
                    "template<T> void ReduceMin(LT<T> dst, LT<T> src, LT<T> sharedTmpBuffer, const uint64_t mask[], "
                    "const int32_t repeatTime, const int32_t srcRepStride, bool calIndex = 0)"
                ),
            ),
        ),
        dtypes=one("half", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="max/min over active lanes of all repeats, source block stride 1; dst as in count form.",
        rules=("NOP0",),
        limits="As count form with R = repeatTime; repeatTime up to INT32_MAX; srcRepStride 0..65535 blocks.",
        notes=(
            "Index = repeat*E + lane for full masks and srcRepStride 8 (unclear for other strides or partial "
            "masks; use repeat*E + lane)"
        ),
    ),
    Api(
        id="ReduceSumCount",
        name="ReduceSum",
        category="reduce",
        forms=(
            Form(
                "count",
                (
                    "template<T, bool isSetMask=true> void ReduceSum(LT<T> dst, LT<T> src, LT<T> sharedTmpBuffer, "
                    "const int32_t count)"
                ),
            ),
        ),
        dtypes=one("half", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="dst[0] = sequential sum over repeats of per-repeat tree sums; also latched for GetReduceRepeatSumSpr.",
        rules=("NOP0",),
        limits="src 32-byte aligned; dst sizeof(T) aligned; tmp of any size is accepted and unused.",
        notes=(
            "Only dst[0] is written. Accumulator precision between repeats (unclear: T assumed, rounded after "
            "each addition). Partial last repeat: absent lanes do not take part."
        ),
    ),
    Api(
        id="ReduceSumRepeat",
        name="ReduceSum",
        category="reduce",
        forms=(
            Form(
                "mask",
                (
                    "template<T> void ReduceSum(LT<T> dst, LT<T> src, LT<T> sharedTmpBuffer, const int32_t mask, "
                    "const int32_t repeatTime, const int32_t srcRepStride)"
                ),
            ),
            Form(
                "bits",
                (
                    "template<T> void ReduceSum(LT<T> dst, LT<T> src, LT<T> sharedTmpBuffer, const uint64_t mask[], "
                    "const int32_t repeatTime, const int32_t srcRepStride)"
                ),
            ),
        ),
        dtypes=one("half", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc=(
            "Round 1: tree sum per repeat; further rounds: tree sums over the packed partials in groups of E "
            "until one value; dst[0] = it."
        ),
        rules=("NOP0",),
        limits=(
            "src, tmp 32-byte aligned; tmp >= ceil(repeatTime/Eb)*Eb elements, Eb=32/sizeof(T); dst may overlap "
            "tmp; repeatTime up to INT32_MAX."
        ),
        notes=(
            "Differs from the count form in accumulation order, so low bits may differ. Not readable through "
            "GetReduceRepeatSumSpr."
        ),
    ),
    Api(
        id="GetReduceRepeatMaxMinSpr",
        name="GetReduceRepeatMaxMinSpr",
        category="reduce-readback",
        forms=(
            Form("call", "template<T> void GetReduceRepeatMaxMinSpr(T& maxMinValue, T& maxMinIndex)"),
            Form("call", "template<T> void GetReduceRepeatMaxMinSpr(T& maxMinValue)"),
        ),
        dtypes=one("half", "float"),
        pipe="PIPE_S",
        core="AIV",
        doc=(
            "Value and raw-bit index of the extreme over all repeats of the last ReduceRepeat<MAX/MIN>; value "
            "only (index invalid) after ReduceMax/ReduceMin."
        ),
        limits="Reduction must use srcBlkStride 1, srcRepStride 8 and Normal mask mode; needs a V->S event before.",
        notes=(
            "Index encoding as ReduceRepeat (unclear: global element index or lane index for repeatTime > 1; use "
            "repeat*E + lane)"
        ),
        aliases=(Alias("GetReduceMaxMinCount", "8.5"),),
    ),
    Api(
        id="GetReduceRepeatSumSpr",
        name="GetReduceRepeatSumSpr",
        category="reduce-readback",
        forms=(Form("call", "template<T> T GetReduceRepeatSumSpr()"),),
        dtypes=one("half", "float"),
        pipe="PIPE_S",
        core="AIV",
        doc="Returns the result of the last ReduceSum (count)",
        limits="Only after ReduceSum (count); needs a V->S event before.",
        aliases=(Alias("GetAccVal", "8.5"),),
    ),
    Api(
        id="BlockReduceSum",
        name="BlockReduceSum",
        category="reduce-old-name",
        forms=reduction("BlockReduceSum", operation=False, repeat_first=True),
        dtypes=one("half", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="ReduceDataBlock with repeatTime BEFORE mask.",
        alias_of="ReduceDataBlock",
        limits="As ReduceDataBlock.",
        notes="Argument order changed in the rename; old signature from the 8.x/9.0 public reference.",
    ),
    Api(
        id="BlockReduceMax",
        name="BlockReduceMax",
        category="reduce-old-name",
        forms=reduction("BlockReduceMax", operation=False, repeat_first=True),
        dtypes=one("half", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="ReduceDataBlock with repeatTime BEFORE mask.",
        alias_of="ReduceDataBlock",
        limits="As ReduceDataBlock.",
        notes="Argument order changed in the rename; old signature from the 8.x/9.0 public reference.",
    ),
    Api(
        id="BlockReduceMin",
        name="BlockReduceMin",
        category="reduce-old-name",
        forms=reduction("BlockReduceMin", operation=False, repeat_first=True),
        dtypes=one("half", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="ReduceDataBlock with repeatTime BEFORE mask.",
        alias_of="ReduceDataBlock",
        limits="As ReduceDataBlock.",
        notes="Argument order changed in the rename; old signature from the 8.x/9.0 public reference.",
    ),
    Api(
        id="WholeReduceSum",
        name="WholeReduceSum",
        category="reduce-old-name",
        forms=reduction("WholeReduceSum", operation=False),
        dtypes=one("half", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="ReduceRepeat<SUM>, same argument order.",
        alias_of="ReduceRepeat",
        limits="As ReduceRepeat.",
        notes="Signature inferred from the rename table (order unchanged) and the sibling old names.",
    ),
    Api(
        id="WholeReduceMax",
        name="WholeReduceMax",
        category="reduce-old-name",
        forms=reduction("WholeReduceMax", operation=False, tail=", ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX"),
        dtypes=one("half", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="ReduceRepeat<MAX/MIN>, same argument order.",
        alias_of="ReduceRepeat",
        limits="As ReduceRepeat.",
        notes="Old signature from the 8.x/9.0 public reference.",
    ),
    Api(
        id="WholeReduceMin",
        name="WholeReduceMin",
        category="reduce-old-name",
        forms=reduction("WholeReduceMin", operation=False, tail=", ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX"),
        dtypes=one("half", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="ReduceRepeat<MAX/MIN>, same argument order.",
        alias_of="ReduceRepeat",
        limits="As ReduceRepeat.",
        notes="Old signature from the 8.x/9.0 public reference.",
    ),
    Api(
        id="RepeatReduceSum",
        name="RepeatReduceSum",
        category="reduce-old-name",
        forms=(
            Form(
                "mask",
                (
                    "template<T, bool isSetMask=true> void RepeatReduceSum(LT<T> dst, LT<T> src, const int32_t "
                    "repeatTime, const int32_t mask, const int32_t dstBlkStride, const int32_t srcBlkStride, const "
                    "int32_t dstRepStride, const int32_t srcRepStride)"
                ),
            ),
        ),
        dtypes=one("half", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="ReduceRepeat<SUM> with reordered arguments; dstBlkStride has no effect.",
        alias_of="ReduceRepeat",
        limits="As ReduceRepeat; contiguous mask only.",
        notes=(
            "Documented for dav-2201 but not for A3 in the old reference. Old signature from the 8.x/9.0 public "
            "reference."
        ),
    ),
    Api(
        id="PairReduceSum",
        name="PairReduceSum",
        category="reduce-old-name",
        forms=reduction("PairReduceSum", operation=False, repeat_first=True),
        dtypes=one("half", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="ReducePairElem with repeatTime BEFORE mask.",
        alias_of="ReducePairElem",
        limits="As ReducePairElem.",
        notes="Old signature from the 8.x/9.0 public reference.",
    ),
)
