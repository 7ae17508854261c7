"""Sorting and merging of (score, index) records."""

from ferrata.lang.api import NONE, Api, Form, one

ROWS = (
    Api(
        id="Sort32",
        name="Sort32",
        category="sort",
        forms=(
            Form(
                "repeat",
                ("template<T> void Sort32(LT<T> dst, LT<T> src0, LT<uint32_t> src1, const int32_t repeatTime)"),
            ),
        ),
        dtypes=one("half", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="Per repeat: 32 (src0[i], src1[i]) pairs sorted by score descending, stable, stored as 8-byte records.",
        limits="src0 128 B (float) / 64 B (half) aligned, src1 128 B, dst 256 B aligned; repeatTime 0..255, 0 = NOP.",
        notes=(
            "Record: score in bytes 0-3 (float) or 0-1 (half, bytes 2-3 reserved), index in bytes 4-7. Repeat r "
            "uses elements 32r..32r+31 and writes 256 bytes at 256r (unclear: a parameter note says src0 advances "
            "128 B for half too; 64 B is consistent). NaN order (unclear)"
        ),
    ),
    Api(
        id="MrgSort",
        name="MrgSort",
        category="sort",
        forms=(
            Form(
                "call",
                ("template<T> void MrgSort(LT<T> dst, const MrgSortSrcList<T>& src, const MrgSort4Info& params)"),
            ),
        ),
        dtypes=one("half", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc=(
            "Merge the first 2/3/4 descending queues into one descending queue; ties: lower queue first, then "
            "earlier element."
        ),
        limits=(
            "dst 32 B aligned, each src 8 B aligned; no overlap; elementLengths 0..4095 records; validBit 3, 7 or "
            "15; repeatTimes 0..255, 0 = NOP."
        ),
        notes=(
            "Records as Sort32. repeatTimes > 1 only if 4 equal-length, back-to-back queues, no suspension, "
            "validBit 15; each repeat then advances src and dst by the total of the four lengths. "
            "ifExhaustedSuspension=true stops right after some queue is used up; read counts with "
            "GetMrgSortResult."
        ),
    ),
    Api(
        id="GetMrgSortResult",
        name="GetMrgSortResult",
        category="sort",
        forms=(
            Form(
                "call",
                (
                    "void GetMrgSortResult(uint16_t& mrgSortList1, uint16_t& mrgSortList2, uint16_t& mrgSortList3, "
                    "uint16_t& mrgSortList4)"
                ),
            ),
        ),
        dtypes=NONE,
        pipe="PIPE_S",
        core="AIV",
        doc="Number of records taken from each queue by the last suspended MrgSort.",
        limits="MrgSort must have run with ifExhaustedSuspension=true.",
        notes="(unclear: the printed example shows all queues fully merged although suspension is on)",
    ),
    Api(
        id="MrgSortList",
        name="MrgSort",
        category="sort",
        forms=(
            Form(
                "repeat",
                (
                    "template<T, bool isExhaustedSuspension=false> void MrgSort(LT<T> dst, const MrgSortSrcList<T>& "
                    "sortList, const uint16_t elementCountList[4], uint32_t sortedNum[4], uint16_t validBit, const "
                    "int32_t repeatTime)"
                ),
            ),
        ),
        dtypes=one("half", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="As MrgSort (params struct); sortedNum receives per-queue counts when suspended.",
        limits="repeatTime 1..255 under the same four conditions; lengths 0..4095.",
        notes="Unused queues may be empty tensors.",
    ),
    Api(
        id="Concat",
        name="Concat",
        category="sort",
        forms=(
            Form(
                "repeat",
                ("template<T> void Concat(LocalTensor<T>& concat, LT<T> src, LT<T> tmp, const int32_t repeatTime)"),
            ),
        ),
        dtypes=one("half", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="Prepare src for Sort: concat must present the same 16*repeatTime values as src.",
        rules=("AL32",),
        limits="repeatTime 0..255, 16 elements each; tmp size from GetConcatTmpSize.",
        notes=(
            "The shipped sample passes an unallocated concat handle, so on dav-2201 concat has to be re-bound to "
            "src (no copy) (derived)"
        ),
    ),
    Api(
        id="Sort",
        name="Sort",
        category="sort",
        forms=(
            Form(
                "repeat",
                (
                    "template<T, bool isFullSort> void Sort(LT<T> dst, LT<T> concat, LT<uint32_t> index, "
                    "LocalTensor<T>& tmp, const int32_t repeatTime)"
                ),
            ),
        ),
        dtypes=one("half", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc=(
            "false: Sort32 over 32*repeatTime elements in groups of 32; true: one stable descending sort of all "
            "of them; output records as Sort32."
        ),
        rules=("AL32",),
        limits="dst 8 bytes per element; repeatTime 0..255; tmp size from GetSortTmpSize.",
        notes="Overloads with SortConfig do not exist on dav-2201.",
    ),
    Api(
        id="Extract",
        name="Extract",
        category="sort",
        forms=(
            Form(
                "repeat",
                (
                    "template<T> void Extract(LT<T> dstValue, LT<uint32_t> dstIndex, LT<T> sorted, const int32_t "
                    "repeatTime)"
                ),
            ),
        ),
        dtypes=one("half", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="Split records: dstValue[i] = score, dstIndex[i] = index for i < 32*repeatTime.",
        rules=("AL32",),
        limits="repeatTime 0..255, 256 bytes of records (32) each.",
        notes="Documented as 64 float or 128 half elements per repeat, i.e. 32 records.",
    ),
    Api(
        id="GetSortOffset",
        name="GetSortOffset",
        category="sort",
        forms=(Form("call", "template<T> uint32_t GetSortOffset(const uint32_t elemOffset)"),),
        dtypes=one("half", "float"),
        pipe="PIPE_S",
        core="AIV",
        doc="n * 8 / sizeof(T): half 4n, float 2n.",
        notes=(
            "(unclear: prose says bytes, but the result indexes LocalTensor<T> in the example, and the public "
            "record-size constants are 4 and 2 elements; return elements)"
        ),
    ),
    Api(
        id="GetSortLen",
        name="GetSortLen",
        category="sort",
        forms=(Form("call", "template<T> uint32_t GetSortLen(const uint32_t elemCount)"),),
        dtypes=one("half", "float"),
        pipe="PIPE_S",
        core="AIV",
        doc="n * 8 / sizeof(T): half 4n, float 2n.",
        notes=(
            "(unclear: prose says bytes, but the result indexes LocalTensor<T> in the example, and the public "
            "record-size constants are 4 and 2 elements; return elements)"
        ),
    ),
    Api(
        id="GetConcatTmpSize",
        name="GetConcatTmpSize",
        category="sort (host)",
        forms=(
            Form(
                "call",
                (
                    "uint32_t GetConcatTmpSize(const platform_ascendc::PlatformAscendC&, const uint32_t elemCount, "
                    "const uint32_t dataTypeSize)"
                ),
            ),
            Form(
                "call",
                (
                    "uint32_t GetConcatTmpSize(const platform_ascendc::PlatformAscendC&, const uint32_t elemCount, "
                    "const uint32_t dataTypeSize)"
                ),
            ),
        ),
        dtypes=NONE,
        pipe="host",
        core="host",
        doc="Bytes of scratch needed on the kernel side.",
        notes="(unclear: formula not published; 0 for Concat and 8*elemCount for Sort fit the record layout)",
    ),
    Api(
        id="GetSortTmpSize",
        name="GetSortTmpSize",
        category="sort (host)",
        forms=(
            Form(
                "call",
                (
                    "uint32_t GetSortTmpSize(const platform_ascendc::PlatformAscendC&, const uint32_t elemCount, "
                    "const uint32_t dataTypeSize)"
                ),
            ),
            Form(
                "call",
                (
                    "uint32_t GetSortTmpSize(const platform_ascendc::PlatformAscendC&, const uint32_t elemCount, "
                    "const uint32_t dataTypeSize)"
                ),
            ),
        ),
        dtypes=NONE,
        pipe="host",
        core="host",
        doc="Bytes of scratch needed on the kernel side.",
        notes="(unclear: formula not published; 0 for Concat and 8*elemCount for Sort fit the record layout)",
    ),
)
