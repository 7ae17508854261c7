"""torch_npu.distributed: process groups of this device are gloo; the vendor's backends need hardware."""


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    from ferrata.errors import NotOnEmulator

    raise NotOnEmulator(name=f"distributed.{name}", reason="use torch.distributed with the gloo backend")
