"""torch_npu.optim: torch.optim itself; the fused optimisers have no kernels here."""


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    import torch

    plain = name.removeprefix("NpuFused")
    if hasattr(torch.optim, plain):
        return getattr(torch.optim, plain)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
