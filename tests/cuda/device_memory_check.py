"""Tests the PyTorch reference on arrays in memory exported by another process, with reference_process.py and the fake
driver. Exits with 0 on success. Argument: the path of reference_process.py.
"""

import ctypes
import importlib.util
import os
import struct
import sys
import tempfile

del sys.path[0]  # this folder, whose triton/ is not the package

import torch  # noqa: E402

spec = importlib.util.spec_from_file_location("reference_process", sys.argv[1])
reference_process = importlib.util.module_from_spec(spec)
spec.loader.exec_module(reference_process)

SIZE = 1 << 20
COUNT = 1000
FROM = 8192  # offset in the arena


class OnFakeDevice(reference_process.Reference):
    """A reference on the fake device: its device and its tensors are on the host."""

    def over_device(self, memory):
        interface = memory.__cuda_array_interface__
        at, read_only = interface["data"]
        assert interface["shape"] == (SIZE,) and not read_only
        return torch.frombuffer((ctypes.c_ubyte * SIZE).from_address(at), dtype=torch.uint8)


def arena_of(value):
    """Returns an arena as the examiner exports it, and the floats at FROM."""
    fd = os.memfd_create("arena")
    os.truncate(fd, SIZE)
    os.pwrite(fd, struct.pack("<f", value) * COUNT, FROM)
    return fd


def main():
    reference = OnFakeDevice(torch)
    reference.load("0\ntwice\ndef twice(x):\n    return x * 2\n")
    order = (f"call 0 {reference_process.DEVICE_ARENA} eager cold\n"
             f"array x input f32 {FROM} {4 * COUNT} 1 whole {COUNT} 1\n"
             f"array y output f32 {2 * FROM} {4 * COUNT} 1 whole {COUNT} 1\n")
    for value in (3.0, 5.0):  # the second mapping replaces the first
        fd = arena_of(value)
        reference.map(f"{reference_process.DEVICE_ARENA} {SIZE}", os.dup(fd))
        assert reference.call(order) > 0
        assert os.pread(fd, 4 * COUNT, 2 * FROM) == struct.pack("<f", 2 * value) * COUNT, "the output is not in the arena"
        assert os.pread(fd, 4 * COUNT, FROM) == struct.pack("<f", value) * COUNT, "the input has changed"
        with open("/proc/self/maps", encoding="utf-8") as maps:
            assert sum("memfd:arena" in line for line in maps) == 1, "an old arena is still mapped"
    try:
        reference.map(f"{reference_process.DEVICE_ARENA} {SIZE}", os.dup(os.open("/dev/null", os.O_RDONLY)))
    except reference_process.Refused as e:
        assert "cuMem" in str(e), e
    else:
        raise AssertionError("what is no memory was mapped")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)  # a program's source is written to the working folder
    main()
