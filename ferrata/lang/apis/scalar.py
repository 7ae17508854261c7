"""Scalar helpers, what a core knows about itself, and the debugging calls."""

from ferrata.lang.api import NONE, Alias, Api, Form, one

ANY = one(
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
)


def _row(
    name: str,
    *declarations: str,
    doc: str,
    category: str = "scalar",
    aliases: tuple[str, ...] = (),
    limits: str = "",
    notes: str = "",
    printed: bool = False,
) -> Api:
    return Api(
        id=name,
        name=name,
        category=category,
        forms=tuple(Form("call", text) for text in declarations),
        dtypes=ANY if printed else NONE,
        pipe="PIPE_S",
        core="AIV, AIC",
        doc=doc,
        limits=limits,
        notes=notes,
        aliases=tuple(Alias(alias) for alias in aliases),
    )


ROWS = (
    _row(
        "GetBitCount",
        "template<int countValue> int64_t GetBitCount(uint64_t valueIn)",
        doc="How many bits are 0 or 1.",
        aliases=("ScalarGetCountOfValue",),
    ),
    _row(
        "CountLeadingZero",
        "int64_t CountLeadingZero(uint64_t valueIn)",
        doc="Zeros above the highest 1; 64 for 0.",
        aliases=("ScalarCountLeadingZero",),
    ),
    _row(
        "CountBitsCntSameAsSignBit",
        "int64_t CountBitsCntSameAsSignBit(int64_t valueIn)",
        doc="How many bits below the sign bit equal it without a break; -1 for 0 and -1.",
    ),
    _row(
        "GetSFFValue",
        "template<int countValue> int64_t GetSFFValue(uint64_t valueIn)",
        doc="The lowest position of a 0 or 1 bit; -1 if there is none.",
        aliases=("ScalarGetSFFValue",),
    ),
    _row(
        "CeilDivision",
        "constexpr int32_t CeilDivision(int32_t num1, int32_t num2)",
        doc="num1 / num2 rounded up; 0 if num2 is 0.",
        limits="Operands are not negative.",
    ),
    _row("GetBlockNum", "int64_t GetBlockNum()", doc="Blocks of the launch.", category="system"),
    _row(
        "GetBlockIdx", "int64_t GetBlockIdx()", doc="This core's number among the cores of its type.", category="system"
    ),
    _row(
        "GetSubBlockIdx",
        "int64_t GetSubBlockIdx()",
        doc="Number inside the block: 0 or 1 for the vector cores of __mix__(1,2), else 0.",
        category="system",
    ),
    _row(
        "GetSubBlockNum",
        "int64_t GetSubBlockNum()",
        doc="2 on a vector core of __mix__(1,2), else 1.",
        category="system",
    ),
    _row(
        "GetTaskRatio", "int64_t GetTaskRatio()", doc="2 on a vector core of __mix__(1,2), else 1.", category="system"
    ),
    _row("GetDataBlockSizeInBytes", "constexpr int16_t GetDataBlockSizeInBytes()", doc="32.", category="system"),
    _row(
        "GetArchVersion",
        "void GetArchVersion(uint32_t& coreVersion)",
        doc="The architecture, coded in hexadecimal.",
        notes="(unclear: the value; 0x2201)",
        category="system",
    ),
    _row(
        "GetProgramCounter",
        "int64_t GetProgramCounter()",
        doc="A program counter; only growth is meaningful.",
        category="system",
    ),
    _row("GetSystemCycle", "int64_t GetSystemCycle()", doc="A counter of 50 MHz.", category="system"),
    _row("GetUBSizeInBytes", "uint32_t GetUBSizeInBytes()", doc="0 on dav-2201.", category="system"),
    _row("GetRuntimeUBSize", "uint32_t GetRuntimeUBSize()", doc="0 on dav-2201.", category="system"),
    _row("GetVecLen", "uint32_t GetVecLen()", doc="0 on dav-2201.", category="system"),
    _row("Nop", "void Nop()", doc="Nothing.", category="system"),
    _row(
        "GetSysWorkSpacePtr",
        "__gm__ uint8_t* GetSysWorkSpacePtr()",
        doc="The system workspace; in the global namespace.",
        category="system",
    ),
    _row(
        "SetSysWorkspace",
        "void SetSysWorkspace(GM_ADDR workspace)",
        doc="Stores the base of the whole workspace.",
        category="system",
    ),
    _row(
        "GetUserWorkspace",
        "GM_ADDR GetUserWorkspace(GM_ADDR workspace)",
        doc="The user's part: behind the system's.",
        category="system",
    ),
    _row(
        "printf",
        "template<Args> void printf(const __gm__ char* fmt, Args&&... args)",
        doc="Prints with the prefix `[AIV Block i/N] `; no newline is added.",
        limits="%d %i %u %x with l and ll, %f %F %s %p; only \\n as an escape; at most 30 KB a call.",
        aliases=("PRINTF",),
        notes="(unclear: width and precision; they are passed through)",
        category="debug",
    ),
    _row(
        "DumpTensor",
        "template<T> void DumpTensor(LT<T> tensor, uint32_t desc, uint32_t dumpSize)",
        "template<T> void DumpTensor(GT<T> tensor, uint32_t desc, uint32_t dumpSize)",
        "template<T> void DumpTensor(LT<T> tensor, uint32_t desc, uint32_t dumpSize, const ShapeInfo& shapeInfo)",
        "template<T> void DumpTensor(GT<T> tensor, uint32_t desc, uint32_t dumpSize, const ShapeInfo& shapeInfo)",
        doc="Prints dumpSize elements, plainly or in a shape.",
        category="debug",
        printed=True,
    ),
    _row(
        "DumpAccChkPoint",
        "template<T> void DumpAccChkPoint(LT<T> tensor, uint32_t index, uint32_t countOff, uint32_t dumpSize)",
        "template<T> void DumpAccChkPoint(GT<T> tensor, uint32_t index, uint32_t countOff, uint32_t dumpSize)",
        doc="DumpTensor from element countOff.",
        category="debug",
        printed=True,
    ),
    _row("Trap", "void Trap()", doc="Stops the core with an exception.", category="debug"),
    _row(
        "CheckLocalMemoryIA",
        "void CheckLocalMemoryIA(const CheckLocalMemoryIAParam& checkParams)",
        doc="Watches one of four ranges of the local memory; an access of a chosen kind faults.",
        category="debug",
    ),
    _row(
        "PrintTimeStamp",
        "void PrintTimeStamp(uint32_t descId)",
        doc="Records a time; compiled in with ASCENDC_TIME_STAMP_ON.",
        category="debug",
    ),
    _row(
        "MetricsProfStart",
        "void MetricsProfStart()",
        doc="Starts the profiler's range; no other effect.",
        category="debug",
    ),
    _row(
        "MetricsProfStop", "void MetricsProfStop()", doc="Ends the profiler's range; no other effect.", category="debug"
    ),
    _row(
        "MarkStamp",
        "template<pipe_t pipe, uint16_t idx> void MarkStamp()",
        "template<pipe_t pipe> void MarkStamp(uint16_t idx)",
        doc="A mark in the profiler's trace; no other effect.",
        limits="idx 0..4095.",
        category="debug",
    ),
)
