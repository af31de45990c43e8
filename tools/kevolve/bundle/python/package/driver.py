"""The CUDA driver by ctypes: loads machine code, and launches it on a stream. It allocates no memory and waits for nothing."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from .launch_plan import Launch, TensorMap

_DYNAMIC_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
_CLUSTER, _COOPERATIVE = 4, 2  # CU_LAUNCH_ATTRIBUTE_…
_RELAXED = 2  # CU_STREAM_CAPTURE_MODE_RELAXED
_MAP_BYTES = 128  # of CUtensorMap, aligned to 64


class _Value(ctypes.Union):
    _fields_ = [("space", ctypes.c_char * 64), ("cooperative", ctypes.c_int32), ("cluster", ctypes.c_uint32 * 3)]


class _Attribute(ctypes.Structure):  # CUlaunchAttribute
    _fields_ = [("id", ctypes.c_uint32), ("padding", ctypes.c_uint32), ("value", _Value)]


class _Configuration(ctypes.Structure):  # CUlaunchConfig
    _fields_ = [
        ("grid", ctypes.c_uint32 * 3),
        ("block", ctypes.c_uint32 * 3),
        ("shared", ctypes.c_uint32),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.POINTER(_Attribute)),
        ("attribute_count", ctypes.c_uint32),
    ]


class Driver:
    """Functions of libcuda.so.1. OSError: there is no driver; AttributeError: it is too old."""

    def __init__(self) -> None:
        library = ctypes.CDLL("libcuda.so.1")
        pointer, number = ctypes.c_void_p, ctypes.c_int
        out = ctypes.POINTER(pointer)

        def function(name: str, *types: Any) -> Callable[..., int]:
            found = getattr(library, name)
            found.argtypes, found.restype = types, number
            return found  # type: ignore[no-any-return]

        self.initialise = function("cuInit", ctypes.c_uint)
        self.device = function("cuDeviceGet", ctypes.POINTER(number), number)
        self.retain = function("cuDevicePrimaryCtxRetain", out, number)
        self.push = function("cuCtxPushCurrent_v2", pointer)
        self.pop = function("cuCtxPopCurrent_v2", out)
        self.load = function("cuModuleLoadData", out, ctypes.c_char_p)
        self.find = function("cuModuleGetFunction", out, pointer, ctypes.c_char_p)
        self.set = function("cuFuncSetAttribute", pointer, number, number)
        self.fill = function("cuMemsetD8Async", ctypes.c_uint64, ctypes.c_ubyte, ctypes.c_size_t, pointer)
        self.launch = function("cuLaunchKernelEx", ctypes.POINTER(_Configuration), pointer, out, out)
        self.exchange = function("cuThreadExchangeStreamCaptureMode", ctypes.POINTER(number))
        self.name = function("cuGetErrorName", number, ctypes.POINTER(ctypes.c_char_p))
        words = [ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint64, *[pointer] * 4, *[ctypes.c_uint32] * 4]
        self.encode = function("cuTensorMapEncodeTiled", pointer, *words) if hasattr(library, "cuTensorMapEncodeTiled") else None
        self.check(self.initialise(0), "cuInit")

    def check(self, status: int, what: str) -> None:
        if status != 0:
            name = ctypes.c_char_p()
            self.name(status, ctypes.byref(name))
            raise RuntimeError(f"{what}: {(name.value or b'error').decode()} ({status})")

    @contextlib.contextmanager
    def current(self, context: Any) -> Iterator[None]:
        """Makes the context this thread's own for a while."""
        self.check(self.push(context), "cuCtxPushCurrent")
        try:
            yield
        finally:
            self.pop(ctypes.byref(ctypes.c_void_p()))

    @contextlib.contextmanager
    def beside_capture(self) -> Iterator[None]:
        """Allows what a stream's capture by this thread would refuse: loading code."""
        mode = ctypes.c_int(_RELAXED)
        self.check(self.exchange(ctypes.byref(mode)), "cuThreadExchangeStreamCaptureMode")
        try:
            yield
        finally:
            self.exchange(ctypes.byref(mode))


@functools.cache
def driver() -> Driver:
    return Driver()


def _encoded(d: Driver, m: TensorMap, address: int) -> Any:
    """Returns memory that holds the tensor map at the first multiple of 64."""
    if d.encode is None:
        raise RuntimeError("the driver has no cuTensorMapEncodeTiled")
    room = ctypes.create_string_buffer(_MAP_BYTES + 64)
    rank = len(m.dims)
    d.check(
        d.encode(
            _aligned(room), m.type, rank, address + m.offset, (ctypes.c_uint64 * rank)(*m.dims), (ctypes.c_uint64 * rank)(*m.strides),
            (ctypes.c_uint32 * rank)(*m.box), (ctypes.c_uint32 * rank)(*m.element_strides),
            m.interleave, m.swizzle, m.l2_promotion, m.oob_fill,
        ),
        f"cuTensorMapEncodeTiled({m.name})",
    )
    return room


def _aligned(room: Any) -> int:
    return -(-ctypes.addressof(room) // 64) * 64


class LoadedCode:
    """The kernels of a candidate's modules on one device. Any thread may launch them."""

    def __init__(self, device: int, modules: Sequence[Path], kernels: Sequence[str]) -> None:
        d = self.driver = driver()
        self.lock = threading.Lock()
        self.shared: dict[str, int] = {}
        handle, context = ctypes.c_int(), ctypes.c_void_p()
        d.check(d.device(ctypes.byref(handle), device), "cuDeviceGet")
        d.check(d.retain(ctypes.byref(context), handle), "cuDevicePrimaryCtxRetain")  # PyTorch's own, for the process's life
        self.context = context
        self.functions: dict[str, Any] = {}
        with d.current(context), d.beside_capture():
            for path in modules:
                module = ctypes.c_void_p()
                d.check(d.load(ctypes.byref(module), path.read_bytes()), f"cuModuleLoadData({path.name})")
                for name in kernels:
                    found = ctypes.c_void_p()
                    if name not in self.functions and d.find(ctypes.byref(found), module, name.encode()) == 0:
                        self.functions[name] = found
        if missing := [k for k in kernels if k not in self.functions]:
            raise RuntimeError(f"no module has the kernel {missing[0]}")

    def run(self, launches: Sequence[Launch], maps: Sequence[TensorMap], cleared: Sequence[tuple[int, int]],
            buffers: Mapping[str, int], numbers: Mapping[str, int], stream: int) -> None:
        """Queues the launches. `buffers` holds addresses, `numbers` bits, and `cleared` the memory to zero first."""
        d = self.driver
        with d.current(self.context):
            for address, count in cleared:
                d.check(d.fill(address, 0, count, stream), "cuMemsetD8Async")
            encoded = {m.name: _encoded(d, m, buffers[m.buffer]) for m in maps}
            for launch in launches:
                self._launch(launch, encoded, buffers, numbers, stream)

    def _launch(self, launch: Launch, maps: Mapping[str, Any], buffers: Mapping[str, int], numbers: Mapping[str, int], stream: int) -> None:
        d, function, count = self.driver, self.functions[launch.kernel], len(launch.parameters)
        self._allow(launch)
        values = (ctypes.c_uint64 * max(count, 1))()
        places = (ctypes.c_void_p * max(count, 1))()
        for i, p in enumerate(launch.parameters):
            places[i] = ctypes.addressof(values) + 8 * i
            if p.kind == "tensor_map":
                places[i] = _aligned(maps[p.name])
            elif p.kind == "buffer":
                values[i] = buffers[p.name] + p.value
            else:
                values[i] = numbers[p.name] if p.kind == "argument" else p.value
        attributes = (_Attribute * 2)()
        how = _Configuration(launch.grid, launch.block, launch.shared, stream, attributes, 0)
        if launch.cooperative:
            attributes[how.attribute_count].id = _COOPERATIVE
            attributes[how.attribute_count].value.cooperative = 1
            how.attribute_count += 1
        if launch.cluster != (1, 1, 1):
            attributes[how.attribute_count].id = _CLUSTER
            attributes[how.attribute_count].value.cluster = launch.cluster
            how.attribute_count += 1
        d.check(d.launch(ctypes.byref(how), function, places, None), f"launching {launch.kernel}")

    def _allow(self, launch: Launch) -> None:
        """Asks for as much dynamic shared memory as the launch takes."""
        if launch.shared <= self.shared.get(launch.kernel, 0):
            return
        with self.lock:
            if launch.shared > self.shared.get(launch.kernel, 0):
                self.driver.check(self.driver.set(self.functions[launch.kernel], _DYNAMIC_SHARED, launch.shared), "shared memory")
                self.shared[launch.kernel] = launch.shared
