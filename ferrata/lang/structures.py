"""Structures that calls take, and the classes of tensors, queues and buffers with their members.

Made from the API registry by tools/gen_lang.py: change ferrata/lang/apis/*.py and run it.
They have a meaning inside kernels only; there the translator reads them and never makes one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn, overload

from ferrata.errors import OnlyInKernels
from ferrata.lang.enums import (
    BlockMode,
    CacheMode,
    CacheRwMode,
    DataFormat,
    DeqScale,
    HardEvent,
    TBufState,
    TPosition,
    TransposeType,
    pad_t,
    pipe_t,
)

if TYPE_CHECKING:
    from ferrata.lang.hints.elements import Element


def _only(name: str) -> NoReturn:
    raise OnlyInKernels(name=name)


class DataCopyParams:
    """Blocks of a copy, lengths and gaps in 32 bytes. srcStride and dstStride are other names of srcGap and dstGap
    (unions).
    """

    block_count: int
    block_len: int
    src_gap: int
    dst_gap: int

    def __init__(self, block_count: int = 1, block_len: int = 0, src_gap: int = 0, dst_gap: int = 0) -> None:
        _only("DataCopyParams")


class DataCopyExtParams:
    """Blocks of DataCopyPad, in bytes."""

    block_count: int
    block_len: int
    src_stride: int
    dst_stride: int
    rsv: int

    def __init__(
        self, block_count: int = 1, block_len: int = 0, src_stride: int = 0, dst_stride: int = 0, rsv: int = 0
    ) -> None:
        _only("DataCopyExtParams")


class DataCopyPadParams:
    """Padding of DataCopyPad, older."""

    is_pad: bool
    left_padding: int
    right_padding: int
    padding_value: int

    def __init__(
        self, is_pad: bool = False, left_padding: int = 0, right_padding: int = 0, padding_value: int = 0
    ) -> None:
        _only("DataCopyPadParams")


class DataCopyPadExtParams:
    """Padding of DataCopyPad."""

    is_pad: bool
    left_padding: int
    right_padding: int
    padding_value: float

    def __init__(
        self,
        dtype: Element | Any = None,
        is_pad: bool = False,
        left_padding: int = 0,
        right_padding: int = 0,
        padding_value: float = 0,
    ) -> None:
        _only("DataCopyPadExtParams")


class DataCopyEnhancedParams:
    """No effect on dav-2201."""

    block_mode: BlockMode
    deq_scale: DeqScale
    deq_value: int
    sid_store_mode: int
    is_relu: bool
    pad_mode: pad_t
    pad_value: int
    deq_tensor_addr: int

    def __init__(
        self,
        block_mode: BlockMode = BlockMode.BLOCK_MODE_NORMAL,
        deq_scale: DeqScale = DeqScale.DEQ_NONE,
        deq_value: int = 0,
        sid_store_mode: int = 0,
        is_relu: bool = False,
        pad_mode: pad_t = pad_t.PAD_NONE,
        pad_value: int = 0,
        *,
        deq_tensor_addr: int = 0,
    ) -> None:
        _only("DataCopyEnhancedParams")


class Nd2NzParams:
    """ND to NZ."""

    nd_num: int
    n_value: int
    d_value: int
    src_nd_matrix_stride: int
    src_d_value: int
    dst_nz_c0_stride: int
    dst_nz_n_stride: int
    dst_nz_matrix_stride: int

    def __init__(
        self,
        nd_num: int = 0,
        n_value: int = 0,
        d_value: int = 0,
        src_nd_matrix_stride: int = 0,
        src_d_value: int = 0,
        dst_nz_c0_stride: int = 0,
        dst_nz_n_stride: int = 0,
        dst_nz_matrix_stride: int = 0,
    ) -> None:
        _only("Nd2NzParams")


class Nz2NdParamsFull:
    """NZ to ND."""

    nd_num: int
    n_value: int
    d_value: int
    src_nd_matrix_stride: int
    src_n_stride: int
    dst_d_stride: int
    dst_nd_matrix_stride: int

    def __init__(
        self,
        nd_num: int = 1,
        n_value: int = 0,
        d_value: int = 0,
        src_nd_matrix_stride: int = 1,
        src_n_stride: int = 0,
        dst_d_stride: int = 0,
        dst_nd_matrix_stride: int = 1,
    ) -> None:
        _only("Nz2NdParamsFull")


class SliceInfo:
    """One dimension of a slice. (unclear: the unit of the default burstLen; blocks, as everywhere else)"""

    start_index: int
    end_index: int
    stride: int
    burst_len: int
    shape_value: int

    def __init__(
        self, start_index: int = 0, end_index: int = 31, stride: int = 0, burst_len: int = 32, shape_value: int = 0
    ) -> None:
        _only("SliceInfo")


class UnaryRepeatParams:
    """Strides in 32-byte blocks. blockNumber, repeatStrideMode, strideSizeMode reserved; halfBlock field described for
    CastDequant with the opposite meaning of its template parameter (unclear; use the template parameter)
    """

    block_number: int
    dst_blk_stride: int
    src_blk_stride: int
    dst_rep_stride: int
    src_rep_stride: int
    repeat_stride_mode: bool
    stride_size_mode: bool
    half_block: bool

    def __init__(
        self,
        dst_blk_stride: int = 1,
        src_blk_stride: int = 1,
        dst_rep_stride: int = 8,
        src_rep_stride: int = 8,
        half_block: bool = False,
        *,
        block_number: int = 8,
        repeat_stride_mode: bool = False,
        stride_size_mode: bool = False,
    ) -> None:
        _only("UnaryRepeatParams")


class BinaryRepeatParams:
    """Strides in 32-byte blocks. Values above 255 truncate silently."""

    block_number: int
    dst_blk_stride: int
    src0_blk_stride: int
    src1_blk_stride: int
    dst_rep_stride: int
    src0_rep_stride: int
    src1_rep_stride: int
    repeat_stride_mode: bool
    stride_size_mode: bool

    def __init__(
        self,
        dst_blk_stride: int = 1,
        src0_blk_stride: int = 1,
        src1_blk_stride: int = 1,
        dst_rep_stride: int = 8,
        src0_rep_stride: int = 8,
        src1_rep_stride: int = 8,
        *,
        block_number: int = 8,
        repeat_stride_mode: bool = False,
        stride_size_mode: bool = False,
    ) -> None:
        _only("BinaryRepeatParams")


class CopyRepeatParams:
    """Strides in 32-byte blocks. Default of the first two is a named data-copy stride constant (unclear value; 0)"""

    dst_stride: int
    src_stride: int
    dst_repeat_size: int
    src_repeat_size: int

    def __init__(
        self, dst_stride: int = 0, src_stride: int = 0, dst_repeat_size: int = 8, src_repeat_size: int = 8
    ) -> None:
        _only("CopyRepeatParams")


class BrcbRepeatParams:
    """Only dstBlkStride and dstRepStride used. Constructor order differs from field order."""

    block_number: int
    dst_rep_stride: int
    dst_blk_stride: int
    src0_blk_stride: int
    src1_blk_stride: int
    src0_rep_stride: int
    src1_rep_stride: int
    repeat_stride_mode: bool
    stride_size_mode: bool

    def __init__(
        self,
        dst_blk_stride: int = 1,
        dst_rep_stride: int = 8,
        *,
        block_number: int = 8,
        src0_blk_stride: int = 1,
        src1_blk_stride: int = 1,
        src0_rep_stride: int = 8,
        src1_rep_stride: int = 8,
        repeat_stride_mode: bool = False,
        stride_size_mode: bool = False,
    ) -> None:
        _only("BrcbRepeatParams")


class GatherRepeatParams:
    """Only dstBlkStride and dstRepStride used. Constructor order differs from field order."""

    block_number: int
    dst_rep_stride: int
    dst_blk_stride: int
    src0_blk_stride: int
    src1_blk_stride: int
    src0_rep_stride: int
    src1_rep_stride: int
    repeat_stride_mode: bool
    stride_size_mode: bool

    def __init__(
        self,
        dst_blk_stride: int = 1,
        dst_rep_stride: int = 8,
        *,
        block_number: int = 8,
        src0_blk_stride: int = 1,
        src1_blk_stride: int = 1,
        src0_rep_stride: int = 8,
        src1_rep_stride: int = 8,
        repeat_stride_mode: bool = False,
        stride_size_mode: bool = False,
    ) -> None:
        _only("GatherRepeatParams")


class GatherMaskParams:
    """Strides in 32-byte blocks."""

    src0_block_stride: int
    repeat_times: int
    src0_repeat_stride: int
    src1_repeat_stride: int

    def __init__(
        self,
        src0_block_stride: int = 1,
        repeat_times: int = 0,
        src0_repeat_stride: int = 8,
        src1_repeat_stride: int = 8,
    ) -> None:
        _only("GatherMaskParams")


class VdeqInfo:
    """16 dequantisation parameter sets."""

    vdeq_scale: Sequence[float]
    vdeq_offset: Sequence[int]
    vdeq_sign_mode: Sequence[bool]

    def __init__(
        self, vdeq_scale: Sequence[float] = (), vdeq_offset: Sequence[int] = (), vdeq_sign_mode: Sequence[bool] = ()
    ) -> None:
        _only("VdeqInfo")


class MrgSort4Info:
    """MrgSort parameters. repeatTimes argument is 16-bit, field 8-bit."""

    element_lengths: Sequence[int]
    if_exhausted_suspension: bool
    valid_bit: int
    repeat_times: int

    def __init__(
        self,
        element_lengths: Sequence[int] = (),
        if_exhausted_suspension: bool = False,
        valid_bit: int = 0,
        repeat_times: int = 1,
    ) -> None:
        _only("MrgSort4Info")


class MrgSortSrcList:
    """The four queues. Class template argument deduction from the 4-tensor constructor is used by samples."""

    src1: LocalTensor | Any
    src2: LocalTensor | Any
    src3: LocalTensor | Any
    src4: LocalTensor | Any

    def __init__(
        self,
        dtype: Element | Any = None,
        src1: LocalTensor | Any = None,
        src2: LocalTensor | Any = None,
        src3: LocalTensor | Any = None,
        src4: LocalTensor | Any = None,
    ) -> None:
        _only("MrgSortSrcList")


class TransDataTo5HDParams:
    """TransDataTo5HD parameters. NCHW_CONV_ADDR_LIST_SIZE = 16."""

    dst_high_half: bool
    src_high_half: bool
    repeat_times: int
    dst_rep_stride: int
    src_rep_stride: int

    def __init__(
        self,
        dst_high_half: bool = False,
        src_high_half: bool = False,
        repeat_times: int = 1,
        dst_rep_stride: int = 0,
        src_rep_stride: int = 0,
    ) -> None:
        _only("TransDataTo5HDParams")


class TransposeParamsExt:
    """Extended Transpose parameters."""

    n_size: int
    c_size: int
    h_size: int
    w_size: int
    transpose_type: TransposeType

    def __init__(
        self,
        n_size: int = 0,
        c_size: int = 0,
        h_size: int = 0,
        w_size: int = 0,
        transpose_type: TransposeType = TransposeType.TRANSPOSE_ND2ND_B16,
    ) -> None:
        _only("TransposeParamsExt")


class ShapeInfo:
    """A shape that travels with a tensor."""

    shape_dim: int
    original_shape_dim: int
    shape: Sequence[int]
    original_shape: Sequence[int]
    data_format: DataFormat

    def __init__(
        self,
        shape_dim: int = 0,
        shape: Sequence[int] = (),
        original_shape_dim: int = 0,
        original_shape: Sequence[int] = (),
        data_format: DataFormat = DataFormat.ND,
    ) -> None:
        _only("ShapeInfo")


class CheckLocalMemoryIAParam:
    """A watched range of local memory, in blocks of 32 bytes."""

    enable_bit: int
    start_addr: int
    end_addr: int
    is_scalar_read: bool
    is_scalar_write: bool
    is_vector_read: bool
    is_vector_write: bool
    is_mte_read: bool
    is_mte_write: bool
    is_enable: bool
    reserved: int

    def __init__(
        self,
        enable_bit: int = 0,
        start_addr: int = 0,
        end_addr: int = 0,
        is_scalar_read: bool = False,
        is_scalar_write: bool = False,
        is_vector_read: bool = False,
        is_vector_write: bool = False,
        is_mte_read: bool = False,
        is_mte_write: bool = False,
        is_enable: bool = False,
        *,
        reserved: int = 0,
    ) -> None:
        _only("CheckLocalMemoryIAParam")


class TPipe:
    """The allocator of a core's local memory; one a kernel."""

    def __init__(self) -> None:
        _only("TPipe")

    def init(self) -> None:
        """Resets allocation and events; only after Destroy.

        In C++: Init.
        """
        _only("TPipe.init")

    @overload
    def init_buffer(self, que: Any, num: int, len: int, *, T: Element | None = None) -> bool: ...
    @overload
    def init_buffer(self, buf: Any, len: int) -> bool: ...
    def init_buffer(self, *args: Any, **kwargs: Any) -> Any:
        """Blocks for a queue, or one for a TBuf; len rounded up to 32 bytes.

        In C++: InitBuffer.

        Limits: All buffers fit the memory; at most 64 in a kernel.
        """
        _only("TPipe.init_buffer")

    @overload
    def init_buf_pool(self, buf_pool: Any, len: int, *, T: Element | None = None) -> bool: ...
    @overload
    def init_buf_pool(
        self, buf_pool: Any, len: int, share_buf: Any, *, T: Element | None = None, U: Element | None = None
    ) -> bool: ...
    def init_buf_pool(self, *args: Any, **kwargs: Any) -> Any:
        """A part of the memory for a pool, or the same bytes as another pool.

        In C++: InitBufPool.
        """
        _only("TPipe.init_buf_pool")

    @overload
    def alloc_event_id(self, evt: HardEvent) -> int: ...
    @overload
    def alloc_event_id(self, *, evt: HardEvent) -> int: ...
    def alloc_event_id(self, *args: Any, **kwargs: Any) -> Any:
        """Reserves the lowest free id.

        In C++: AllocEventID.

        Limits: 8 ids an event.
        """
        _only("TPipe.alloc_event_id")

    @overload
    def release_event_id(self, evt: HardEvent, id: int) -> None: ...
    @overload
    def release_event_id(self, id: int, *, evt: HardEvent) -> None: ...
    def release_event_id(self, *args: Any, **kwargs: Any) -> Any:
        """Gives an id back.

        In C++: ReleaseEventID.
        """
        _only("TPipe.release_event_id")

    @overload
    def fetch_event_id(self, evt: HardEvent) -> int: ...
    @overload
    def fetch_event_id(self, *, evt: HardEvent) -> int: ...
    def fetch_event_id(self, *args: Any, **kwargs: Any) -> Any:
        """The lowest free id, without reserving it.

        In C++: FetchEventID.
        """
        _only("TPipe.fetch_event_id")

    @overload
    def get_abs_addr(self, T: Element, pos: TPosition, offset: int, size: int) -> LocalTensor: ...
    @overload
    def get_abs_addr(self, T: Element, offset: int, size: int, *, pos: TPosition) -> LocalTensor: ...
    def get_abs_addr(self, *args: Any, **kwargs: Any) -> Any:
        """A tensor at an absolute offset in bytes.

        In C++: GetAbsAddr.
        """
        _only("TPipe.get_abs_addr")

    def init_spm_buffer(self, workspace: GlobalTensor, buffer_size: int) -> None:
        """A spill area in GM.

        In C++: InitSpmBuffer.
        """
        _only("TPipe.init_spm_buffer")

    @overload
    def write_spm_buffer(
        self, write_local: LocalTensor, copy_params: DataCopyParams | Sequence[Any], write_offset: int = 0
    ) -> None: ...
    @overload
    def write_spm_buffer(self, write_local: LocalTensor, write_size: int, write_offset: int = 0) -> None: ...
    def write_spm_buffer(self, *args: Any, **kwargs: Any) -> Any:
        """UB to the spill area.

        In C++: WriteSpmBuffer.
        """
        _only("TPipe.write_spm_buffer")

    @overload
    def read_spm_buffer(
        self, read_local: LocalTensor, copy_params: DataCopyParams | Sequence[Any], read_offset: int = 0
    ) -> None: ...
    @overload
    def read_spm_buffer(self, read_local: LocalTensor, read_size: int, read_offset: int = 0) -> None: ...
    def read_spm_buffer(self, *args: Any, **kwargs: Any) -> Any:
        """The spill area to UB.

        In C++: ReadSpmBuffer.
        """
        _only("TPipe.read_spm_buffer")

    def reset(self) -> None:
        """Releases all buffers and events.

        In C++: Reset.
        """
        _only("TPipe.reset")

    def destroy(self) -> None:
        """Releases everything, with a PIPE_ALL barrier.

        In C++: Destroy.
        """
        _only("TPipe.destroy")

    def destroy_without_pipe_all(self) -> None:
        """Releases everything without a barrier.

        In C++: DestroyWithoutPipeAll.
        """
        _only("TPipe.destroy_without_pipe_all")


class TQue:
    """A queue of blocks between two pipes."""

    def __init__(self, position: TPosition, depth: int) -> None:
        _only("TQue")

    @overload
    def alloc_tensor(self, T: Element) -> LocalTensor: ...
    @overload
    def alloc_tensor(self, tensor: LocalTensor) -> None: ...
    def alloc_tensor(self, *args: Any, **kwargs: Any) -> Any:
        """The next free block; waits for the event that its FreeTensor left.

        In C++: AllocTensor.

        Limits: A block is free; at most 8 outstanding over all queues of a position; the form with an argument for
        depth 0.
        """
        _only("TQue.alloc_tensor")

    @overload
    def en_que(self, tensor: LocalTensor) -> bool: ...
    @overload
    def en_que(self, src_user_pos: TPosition, dst_user_pos: TPosition, tensor: LocalTensor) -> bool: ...
    @overload
    def en_que(self, tensor: LocalTensor, *, src_user_pos: TPosition, dst_user_pos: TPosition) -> bool: ...
    def en_que(self, *args: Any, **kwargs: Any) -> Any:
        """Sets the event for the consumer and appends the block.

        In C++: EnQue.

        Limits: At most depth entries.
        """
        _only("TQue.en_que")

    @overload
    def de_que(self, T: Element) -> LocalTensor: ...
    @overload
    def de_que(self, tensor: LocalTensor) -> None: ...
    @overload
    def de_que(self, T: Element, src_user_pos: TPosition, dst_user_pos: TPosition) -> LocalTensor: ...
    @overload
    def de_que(self, T: Element, *, src_user_pos: TPosition, dst_user_pos: TPosition) -> LocalTensor: ...
    def de_que(self, *args: Any, **kwargs: Any) -> Any:
        """The oldest entry; waits for its event.

        In C++: DeQue.

        Limits: The queue is not empty.
        """
        _only("TQue.de_que")

    def free_tensor(self, tensor: LocalTensor) -> None:
        """Sets the event for the producer and frees the block.

        In C++: FreeTensor.

        Limits: A block of this queue that is not free.
        """
        _only("TQue.free_tensor")

    def vacant_in_que(self) -> bool:
        """Whether fewer than depth entries are queued.

        In C++: VacantInQue.
        """
        _only("TQue.vacant_in_que")

    def has_tensor_in_que(self) -> bool:
        """Whether an entry is queued.

        In C++: HasTensorInQue.
        """
        _only("TQue.has_tensor_in_que")

    def get_tensor_count_in_que(self) -> int:
        """Entries.

        In C++: GetTensorCountInQue.
        """
        _only("TQue.get_tensor_count_in_que")

    def has_idle_buffer(self) -> bool:
        """Whether a block is free.

        In C++: HasIdleBuffer.
        """
        _only("TQue.has_idle_buffer")

    def free_all_event(self) -> None:
        """Waits for the pending events of freed blocks and gives the ids back.

        In C++: FreeAllEvent.
        """
        _only("TQue.free_all_event")

    def get_state(self, tensor: LocalTensor) -> TBufState:
        """FREE, OCCUPIED, ENQUEUED or DEQUEUED.

        In C++: GetState.
        """
        _only("TQue.get_state")


class TQueBind(TQue):
    """A queue between two positions, VECIN to VECOUT."""

    def __init__(self, source: TPosition, destination: TPosition, depth: int) -> None:
        _only("TQueBind")


class TBuf:
    """One buffer that stays where it is."""

    def __init__(self, position: TPosition | None = None) -> None:
        _only("TBuf")

    @overload
    def get(self, T: Element) -> LocalTensor: ...
    @overload
    def get(self, T: Element, len: int) -> LocalTensor: ...
    def get(self, *args: Any, **kwargs: Any) -> Any:
        """The buffer, or its first elements; the same address each time.

        In C++: Get.
        """
        _only("TBuf.get")

    def get_with_offset(self, T: Element, size: int, buf_offset: int) -> LocalTensor:
        """Elements from a byte offset.

        In C++: GetWithOffset.

        Limits: The offset is a multiple of 32.
        """
        _only("TBuf.get_with_offset")


class TBufPool:
    """A part of the memory, to be split again."""

    def __init__(self, position: TPosition, buffers: int | None = None) -> None:
        _only("TBufPool")

    @overload
    def init_buffer(self, que: Any, num: int, len: int, *, T: Element | None = None) -> bool: ...
    @overload
    def init_buffer(self, buf: Any, len: int) -> bool: ...
    def init_buffer(self, *args: Any, **kwargs: Any) -> Any:
        """As TPipe's, inside the pool.

        In C++: InitBuffer.

        Limits: At most bufIDSize buffers, 16 or fewer.
        """
        _only("TBufPool.init_buffer")

    @overload
    def init_buf_pool(self, buf_pool: Any, len: int, *, T: Element | None = None) -> bool: ...
    @overload
    def init_buf_pool(
        self, buf_pool: Any, len: int, share_buf: Any, *, T: Element | None = None, U: Element | None = None
    ) -> bool: ...
    def init_buf_pool(self, *args: Any, **kwargs: Any) -> Any:
        """A pool inside the pool.

        In C++: InitBufPool.
        """
        _only("TBufPool.init_buf_pool")

    def reset(self) -> None:
        """Waits for pending events; allocation starts again at the pool's start.

        In C++: Reset.
        """
        _only("TBufPool.reset")


class TQueSync:
    """Flags between two pipes."""

    def __init__(self, source: pipe_t, destination: pipe_t) -> None:
        _only("TQueSync")

    def set_flag(self, id: int) -> None:
        """SetFlag for a pair of pipes given as template arguments of TQueSync<src, dst>.

        In C++: SetFlag.

        Limits: src and dst differ.
        """
        _only("TQueSync.set_flag")

    def wait_flag(self, id: int) -> None:
        """WaitFlag for the pair of pipes of TQueSync<src, dst>.

        In C++: WaitFlag.
        """
        _only("TQueSync.wait_flag")


class LocalMemAllocator:
    """Hands out local memory in order, without a TPipe."""

    def __init__(self) -> None:
        _only("LocalMemAllocator")

    def get_cur_addr(self) -> int:
        """The next free byte.

        In C++: GetCurAddr.
        """
        _only("LocalMemAllocator.get_cur_addr")

    @overload
    def alloc(self, T: Element, tile_size: int) -> LocalTensor: ...
    @overload
    def alloc(self, T: Element, *, tile_size: int) -> LocalTensor: ...
    @overload
    def alloc(self, T: Element, pos: TPosition, tile_size: int) -> LocalTensor: ...
    @overload
    def alloc(self, T: Element, *, pos: TPosition, tile_size: int) -> LocalTensor: ...
    @overload
    def alloc(self, T: Element, tile_size: int, *, pos: TPosition) -> LocalTensor: ...
    def alloc(self, *args: Any, **kwargs: Any) -> Any:
        """The next elements; nothing is ever given back.

        In C++: Alloc.

        Limits: Not together with TPipe.

        Notes: (unclear: the alignment of the advance; 32 bytes in UB and L1, 512 in L0A and L0B, 64 elsewhere)
        """
        _only("LocalMemAllocator.alloc")


class ListTensorDesc:
    """A list of tensors in device memory."""

    def __init__(self) -> None:
        _only("ListTensorDesc")

    def init(self, data: Any, length: int = 0xFFFFFFFF, shape_size: int = 0xFFFFFFFF) -> None:
        """Reads a list of tensors from GM: descriptors, then pointers.

        In C++: Init.
        """
        _only("ListTensorDesc.init")

    def get_size(self) -> int:
        """Number of tensors.

        In C++: GetSize.
        """
        _only("ListTensorDesc.get_size")

    def get_data_ptr(self, T: Element, index: int) -> Any:
        """Pointer of a tensor.

        In C++: GetDataPtr.
        """
        _only("ListTensorDesc.get_data_ptr")

    def get_desc(self, T: Element, index: int) -> TensorDesc:
        """Fills a TensorDesc and its shape address.

        In C++: GetDesc.
        """
        _only("ListTensorDesc.get_desc")


class GlobalTensor:
    """A device tensor without memory; SetGlobalBuffer gives it some."""

    def __init__(self, dtype: Element) -> None:
        _only("GlobalTensor")

    def __getitem__(self, at: Any) -> Any:
        """An element, `x[i]`, or a view, `x[a:]` and `x[a:b]`."""
        _only("GlobalTensor")

    def __setitem__(self, at: int, value: float) -> None:
        """Store one element."""
        _only("GlobalTensor")

    @overload
    def set_global_buffer(self, buffer: Any, buffer_size: int) -> None: ...
    @overload
    def set_global_buffer(self, buffer: Any) -> None: ...
    def set_global_buffer(self, *args: Any, **kwargs: Any) -> Any:
        """Base and size in elements; without a size it is 0 and no limit.

        In C++: SetGlobalBuffer.
        """
        _only("GlobalTensor.set_global_buffer")

    @overload
    def get_phy_addr(self) -> Any: ...
    @overload
    def get_phy_addr(self, offset: int) -> Any: ...
    def get_phy_addr(self, *args: Any, **kwargs: Any) -> Any:
        """The base, plus an offset in elements.

        In C++: GetPhyAddr.
        """
        _only("GlobalTensor.get_phy_addr")

    def get_value(self, offset: int) -> float:
        """A scalar load through the data cache.

        In C++: GetValue.
        """
        _only("GlobalTensor.get_value")

    def set_value(self, offset: int, value: float) -> None:
        """A scalar store into the data cache; it reaches GM by write-back of the 64-byte line.

        In C++: SetValue.
        """
        _only("GlobalTensor.set_value")

    def get_size(self) -> int:
        """Elements.

        In C++: GetSize.
        """
        _only("GlobalTensor.get_size")

    def set_shape_info(self, shape_info: ShapeInfo | Sequence[Any]) -> None:
        """Stores a shape.

        In C++: SetShapeInfo.
        """
        _only("GlobalTensor.set_shape_info")

    def get_shape_info(self) -> ShapeInfo:
        """The stored shape.

        In C++: GetShapeInfo.
        """
        _only("GlobalTensor.get_shape_info")

    def set_l2_cache_hint(self, mode: CacheMode, *, rw_mode: CacheRwMode = CacheRwMode.RW) -> None:
        """A hint without visible effect.

        In C++: SetL2CacheHint.
        """
        _only("GlobalTensor.set_l2_cache_hint")


class LocalTensor:
    """A local tensor without memory."""

    def __init__(self, dtype: Element) -> None:
        _only("LocalTensor")

    def __getitem__(self, at: Any) -> Any:
        """An element, `x[i]`, or a view, `x[a:]` and `x[a:b]`."""
        _only("LocalTensor")

    def __setitem__(self, at: int, value: float) -> None:
        """Store one element."""
        _only("LocalTensor")

    @overload
    def get_phy_addr(self) -> int: ...
    @overload
    def get_phy_addr(self, offset: int) -> int: ...
    def get_phy_addr(self, *args: Any, **kwargs: Any) -> Any:
        """Byte address in its memory, plus an offset in elements.

        In C++: GetPhyAddr.
        """
        _only("LocalTensor.get_phy_addr")

    def get_value(self, index: int) -> float:
        """A scalar load.

        In C++: GetValue.

        Limits: UB only.
        """
        _only("LocalTensor.get_value")

    def set_value(self, index: int, value: float, *, U: Element | None = None) -> None:
        """A scalar store.

        In C++: SetValue.

        Limits: UB only.
        """
        _only("LocalTensor.set_value")

    def reinterpret_cast(self, U: Element) -> LocalTensor:
        """The same bytes as another type.

        In C++: ReinterpretCast.
        """
        _only("LocalTensor.reinterpret_cast")

    def set_addr_with_offset(self, src: LocalTensor, offset: int) -> None:
        """Deprecated: the address of src plus offset elements, its position and length.

        In C++: SetAddrWithOffset.
        """
        _only("LocalTensor.set_addr_with_offset")

    def set_size(self, size: int) -> None:
        """Sets the size in elements.

        In C++: SetSize.
        """
        _only("LocalTensor.set_size")

    def get_size(self) -> int:
        """Elements.

        In C++: GetSize.
        """
        _only("LocalTensor.get_size")

    def get_length(self) -> int:
        """Deprecated: bytes.

        In C++: GetLength.
        """
        _only("LocalTensor.get_length")

    def set_buffer_len(self, data_len: int) -> None:
        """Sets the length.

        In C++: SetBufferLen.

        Notes: (unclear: elements or bytes)
        """
        _only("LocalTensor.set_buffer_len")

    def set_user_tag(self, tag: int) -> None:
        """A number that travels through EnQue and DeQue.

        In C++: SetUserTag.
        """
        _only("LocalTensor.set_user_tag")

    def get_user_tag(self) -> int:
        """The tag.

        In C++: GetUserTag.
        """
        _only("LocalTensor.get_user_tag")

    def get_position(self) -> int:
        """The TPosition.

        In C++: GetPosition.
        """
        _only("LocalTensor.get_position")

    def set_shape_info(self, shape_info: ShapeInfo | Sequence[Any]) -> None:
        """Stores a shape.

        In C++: SetShapeInfo.
        """
        _only("LocalTensor.set_shape_info")

    def get_shape_info(self) -> ShapeInfo:
        """The stored shape.

        In C++: GetShapeInfo.
        """
        _only("LocalTensor.get_shape_info")


class TensorDesc:
    """A tensor of a ListTensorDesc."""
