"""torch_npu.testing.common_utils: re-exports."""

from ferrata.npu.testing.common_utils import (  # noqa: F401
    SkipIfNotGteCANNVersion,
    SupportedDevices,
    check_operators_in_prof,
    create_common_tensor,
    create_dtype_tensor,
    freeze_rng_state,
    get_npu_device,
    set_npu_device,
    test_2args_broadcast,
)
