"""Synchronisation: inside a pipe, between pipes, between cores."""

from ferrata.lang.api import NONE, Api, Form

_BOTH = "AIV, AIC"


def _row(
    name: str, *declarations: str, doc: str, core: str = _BOTH, id: str = "", limits: str = "", notes: str = ""
) -> Api:
    return Api(
        id=id or name,
        name=name,
        category="sync",
        forms=tuple(Form("call", text) for text in declarations),
        dtypes=NONE,
        pipe="PIPE_S",
        core=core,
        doc=doc,
        limits=limits,
        notes=notes,
    )


_SOFT = "GT<int32_t> gmWorkspace, LT<int32_t> ubWorkspace"
_ONLY = "template<bool isAIVOnly = true>"

ROWS = (
    _row(
        "PipeBarrier",
        "template<pipe_t pipe> void PipeBarrier()",
        doc="What was issued to the pipe before completes before anything later on it starts; PIPE_ALL: on all pipes.",
        limits="Not PIPE_S.",
    ),
    _row(
        "DataSyncBarrier",
        "template<MemDsbT type> void DataSyncBarrier()",
        doc="The scalar unit waits until earlier accesses to ALL, DDR (GM), UB or SEQ memory are done.",
    ),
    _row(
        "SetFlag",
        "template<HardEvent event> void SetFlag(int32_t eventID)",
        doc="Queued on the source pipe: sets the flag (event, id) when everything earlier on that pipe is complete.",
        limits=(
            "eventID 0..7; a flag that is set is waited for before it is set again; only events of pipes that "
            "the core has."
        ),
        notes="(unclear: 6 and 7 are called reserved; a program that manages ids itself uses 0..5)",
    ),
    _row(
        "WaitFlag",
        "template<HardEvent event> void WaitFlag(int32_t eventID)",
        doc="Queued on the destination pipe: what follows on it waits for the flag (event, id), which returns to 0.",
        limits="As SetFlag; a wait without a set never ends.",
    ),
    _row(
        "TQueSync::SetFlag",
        "void TQueSync::SetFlag(TEventID id)",
        id="TQueSyncSetFlag",
        doc="SetFlag for a pair of pipes given as template arguments of TQueSync<src, dst>.",
        limits="src and dst differ.",
    ),
    _row(
        "TQueSync::WaitFlag",
        "void TQueSync::WaitFlag(TEventID id)",
        id="TQueSyncWaitFlag",
        doc="WaitFlag for the pair of pipes of TQueSync<src, dst>.",
    ),
    _row(
        "Mutex::Lock",
        "template<pipe_t pipe> void Mutex::Lock(MutexID id)",
        id="MutexLock",
        doc="No effect on dav-2201.",
    ),
    _row(
        "Mutex::Unlock",
        "template<pipe_t pipe> void Mutex::Unlock(MutexID id)",
        id="MutexUnlock",
        doc="No effect on dav-2201.",
    ),
    _row("AllocMutexID", "MutexID AllocMutexID()", doc="Returns 0 on dav-2201."),
    _row("ReleaseMutexID", "void ReleaseMutexID(MutexID id)", doc="No effect on dav-2201."),
    _row(
        "InitSocState",
        "void InitSocState()",
        doc="DMA atomics off, mask mode Normal, vector mask all ones; on a cube core LoadData padding 0.",
        notes="TPipe does it too. The dequantisation scale and the saturation flag stay as they are.",
    ),
    _row(
        "SetNextTaskStart",
        (
            "template<pipe_t aivStartPipe = PIPE_MTE3, pipe_t aicStartPipe = PIPE_FIX, bool isForce = false> void "
            "SetNextTaskStart()"
        ),
        doc="Only in super kernels; no effect in a direct launch.",
    ),
    _row(
        "WaitPreTaskEnd",
        "template<bool isForce = false> void WaitPreTaskEnd()",
        doc="Only in super kernels; no effect in a direct launch.",
    ),
    _row(
        "CrossCoreSetFlag",
        "template<uint8_t modeId, pipe_t pipe> void CrossCoreSetFlag(uint16_t flagId)",
        doc="Reports when earlier work of the pipe is complete. Mode 0: all cores of the type; 1: the two vector "
        "cores of a "
        "block; 2: a cube core and its vector cores. When all that take part have reported, 1 is added to the counter.",
        limits=(
            "flagId 0..15; the counter stays at most 15; pipe is neither PIPE_S nor PIPE_ALL; only in __mix__ kernels."
        ),
        notes="(unclear: ids from 11 on are used by SyncAll; accepted, a warning together with SyncAll)",
    ),
    _row(
        "CrossCoreWaitFlag",
        "template<uint8_t modeId = 0, pipe_t pipe = PIPE_S> void CrossCoreWaitFlag(uint16_t flagId)",
        doc="Everything later on this core waits until the counter is above 0, then 1 is taken from it.",
        limits="flagId 0..15.",
    ),
    _row(
        "SyncAll",
        f"{_ONLY} void SyncAll()",
        id="SyncAllHard",
        doc="A barrier among all vector cores of the launch, or (false) all cores.",
        limits="At most as many blocks as cores; true: __mix__(0,1) and above; false: __mix__(1,1) and (1,2).",
    ),
    _row(
        "SyncAll",
        f"{_ONLY} void SyncAll({_SOFT}, const int32_t usedCores = 0)",
        id="SyncAllSoft",
        core="AIV",
        doc="A barrier among vector cores through GM.",
        limits=(
            "gmWorkspace of at least GetBlockNum()*32 bytes, zero before the kernel; ubWorkspace the same; "
            "twice that where a block has two vector cores."
        ),
        notes="(unclear: what later rounds leave in the workspace; only the barrier is emulated)",
    ),
    _row(
        "IBSet",
        f"{_ONLY} void IBSet({_SOFT}, int32_t blockIdx, int32_t eventID)",
        core="AIV",
        doc="Stores 1 into the slot (blockIdx, eventID) at byte (cores*eventID + blockIdx)*32.",
        limits="gmWorkspace zeroed by the host; ubWorkspace at least 32 bytes.",
    ),
    _row(
        "IBWait",
        f"{_ONLY} void IBWait({_SOFT}, int32_t blockIdx, int32_t eventID)",
        core="AIV",
        doc="Waits until the slot is 1.",
        notes="(unclear: whether the slot returns to 0; it does here)",
    ),
    _row(
        "InitDetermineComputeWorkspace",
        "void InitDetermineComputeWorkspace(GlobalTensor<int32_t>& gmWorkspace, LocalTensor<int32_t>& ubWorkspace)",
        core="AIV",
        doc="Once per vector core before ordered sections; GM need not be zero.",
        limits="gm at least GetBlockNum()*32 bytes, ub 32 bytes more.",
    ),
    _row(
        "WaitPreBlock",
        "void WaitPreBlock(GlobalTensor<int32_t>& gmWorkspace, LocalTensor<int32_t>& ubWorkspace)",
        core="AIV",
        doc="Returns when all lower blocks have finished their section of this round.",
    ),
    _row(
        "NotifyNextBlock",
        "void NotifyNextBlock(GlobalTensor<int32_t>& gmWorkspace, LocalTensor<int32_t>& ubWorkspace)",
        core="AIV",
        doc="Marks this block's section as finished.",
    ),
)
