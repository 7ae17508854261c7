"""torch_npu.contrib: transfer_to_npu; the fused modules have no kernels here."""


def __getattr__(name):
    if name == "transfer_to_npu" or name.startswith("__"):
        raise AttributeError(name)
    from ferrata.errors import NotOnEmulator

    raise NotOnEmulator(name=f"contrib.{name}", reason="the fused modules have no kernels; use the torch.nn module")
