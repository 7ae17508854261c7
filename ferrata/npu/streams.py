"""Streams and events of `torch.npu`. Execution is synchronous, so they are identities and points in time."""

from __future__ import annotations

import time
from typing import Any

import torch

from ferrata.errors import NotOnEmulator
from ferrata.npu.devices import Device, index_of
from ferrata.npu.load import extension


class Stream(torch.Stream):
    """A queue of work on one device. Work submitted to it is done when the call returns.

    device: number, string or torch.device; None is the current device. priority: kept, without effect.
    """

    def __new__(cls, device: Device = None, priority: int = 0, **ids: Any) -> Stream:
        if ids:  # stream_id, device_index, device_type: an existing stream
            return super().__new__(cls, **ids)
        return super().__new__(cls, device=torch.device("npu", index_of(device)), priority=priority)

    @property
    def npu_stream(self) -> int:
        """The aclrtStream as a number, for C interfaces."""
        return int(extension().native_stream(self.stream_id, self.device_index))

    def wait_event(self, event: torch.Event) -> None:
        """Make later work wait for `event`: it has happened already."""
        event.wait(self)

    def wait_stream(self, stream: torch.Stream) -> None:
        """Make later work wait for what `stream` holds now."""
        self.wait_event(stream.record_event())

    def record_event(self, event: torch.Event | None = None) -> torch.Event:
        """Record `event`, or a new one, and return it."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def query(self) -> bool:
        """True: all work is done."""
        return super().query()

    def synchronize(self) -> None:
        """Return at once: all work is done."""
        super().synchronize()

    def set_data_preprocess_stream(self, is_data_preprocess_stream: bool) -> None:
        """Accepted without effect."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, torch.Stream) and super().__eq__(other)

    def __hash__(self) -> int:
        return hash((self.device_index, self.stream_id))

    def __repr__(self) -> str:
        return f"torch.npu.Stream(device=npu:{self.device_index}, npu_stream={self.npu_stream:#x})"


class ExternalStream(Stream):
    """A stream made elsewhere; `stream_ptr` is kept and reported, work runs as on any stream."""

    _pointer: int

    def __new__(cls, stream_ptr: int, device: Device = None, **ids: Any) -> ExternalStream:
        self = Stream.__new__(cls, device=device)
        assert isinstance(self, ExternalStream)
        self._pointer = stream_ptr
        return self

    @property
    def npu_stream(self) -> int:
        """The pointer that was given."""
        return self._pointer


class SyncLaunchStream(Stream):
    """A stream whose launches are synchronous, as all are here."""


class Event(torch.Event):
    """A point in a stream's work. `enable_timing=True` on both events allows elapsed_time."""

    _recorded: int | None = None  # nanoseconds since the epoch

    def __new__(cls, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> Event:
        if interprocess:
            raise NotOnEmulator(name="Event(interprocess=True)", reason="events of one process are not seen by another")
        return super().__new__(cls, device=torch.device("npu"), enable_timing=enable_timing, blocking=blocking)

    def __init__(self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> None:
        self.enable_timing = enable_timing

    def record(self, stream: torch.Stream | None = None) -> None:
        """Record now, on `stream` or the current one."""
        self._recorded = time.time_ns()
        super().record(current_stream() if stream is None else stream)

    def wait(self, stream: torch.Stream | None = None) -> None:
        """Make later work of `stream` wait: the event has happened already."""
        super().wait(current_stream() if stream is None else stream)

    def elapsed_time(self, end_event: torch.Event) -> float:
        """Milliseconds from this event to `end_event`. RuntimeError unless both have timing and were recorded."""
        if not isinstance(end_event, Event):
            raise TypeError(f"elapsed_time takes a torch.npu.Event, not {type(end_event).__name__}")
        for which, event in (("first", self), ("second", end_event)):
            if not event.enable_timing:
                raise RuntimeError(f"elapsed_time: the {which} event was made without enable_timing=True")
            if event._recorded is None:
                raise RuntimeError(f"elapsed_time: the {which} event was never recorded")
        assert self._recorded is not None and end_event._recorded is not None
        return (end_event._recorded - self._recorded) / 1e6

    def recorded_time(self) -> int:
        """When it was recorded: microseconds since the epoch. Raises RuntimeError if it never was."""
        if self._recorded is None:
            raise RuntimeError("recorded_time: the event was never recorded")
        return self._recorded // 1000

    def __repr__(self) -> str:
        return f"torch.npu.Event(recorded={self._recorded is not None})"


class ExternalEvent(Event):
    """An event that somebody else records; here the same as Event."""


class StreamContext:
    """Context manager: inside, `stream` and its device are the current ones. None changes nothing."""

    def __init__(self, stream: torch.Stream | None) -> None:
        self.stream = stream
        self._before: list[tuple[int, Stream]] = []

    def __enter__(self) -> None:
        if self.stream is None:
            return
        index = extension().exchange_device(self.stream.device_index)
        self._before.append((index, current_stream(self.stream.device_index)))
        set_stream(self.stream)

    def __exit__(self, *_: object) -> None:
        if self.stream is None:
            return
        index, before = self._before.pop()
        set_stream(before)
        extension().exchange_device(index)


def stream(stream: torch.Stream | None) -> StreamContext:
    """`with torch.npu.stream(s):` runs the block on s."""
    return StreamContext(stream)


def set_stream(stream: torch.Stream | None) -> None:
    """Make `stream` the current one of its device in this thread."""
    if stream is not None:
        extension().exchange_stream(stream.stream_id, stream.device_index)


def _existing(stream_id: int, index: int) -> Stream:
    kind = torch._C._autograd.DeviceType.PrivateUse1.value
    return Stream(stream_id=stream_id, device_index=index, device_type=kind)


def current_stream(device: Device = None) -> Stream:
    """The current stream of `device` in this thread."""
    index = index_of(device)
    return _existing(int(extension().current_stream_id(index)), index)


def default_stream(device: Device = None) -> Stream:
    """The stream that is current until another is set."""
    return _existing(0, index_of(device))
