"""torch_npu.utils: re-exports."""

from ferrata.npu.utils import (  # noqa: F401
    _is_gte_cann_version,
    get_cann_version,
    get_soc_version,
    is_support_inf_nan,
    npu_check_overflow,
)
