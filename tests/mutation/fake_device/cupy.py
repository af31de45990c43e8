"""The part of cupy that the search for witnesses on a device uses. Its memory is the host's, and a module is a Python file
whose functions stand for kernels.
"""

from __future__ import annotations

import ctypes
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

uint8 = np.uint8


class Array(np.ndarray):
    @property
    def data(self) -> Any:
        return types.SimpleNamespace(ptr=self.ctypes.data)

    def get(self) -> np.ndarray:
        return np.asarray(self)


def full(n: int, value: int, kind: Any) -> Array:
    return np.full(n, value, kind).view(Array)


def asarray(x: np.ndarray) -> np.ndarray:
    return x


class RawModule:
    def __init__(self, path: str, enable_cooperative_groups: bool = False) -> None:
        self.names: dict[str, Any] = {}
        exec(Path(path).read_text(encoding="utf-8"), self.names)

    def get_function(self, name: str) -> Callable[..., None]:
        if name not in self.names:
            raise cuda.driver.CUDADriverError(name)

        def launch(grid: tuple[int, ...], block: tuple[int, ...], arguments: tuple[Any, ...], shared_mem: int = 0) -> None:
            self.names[name](grid, block, *arguments)

        return launch

    def get_global(self, name: str) -> Any:
        if name not in self.names:
            raise cuda.driver.CUDADriverError(name)

        def copy_from_host(pointer: int, size: int) -> None:
            assert size == 4
            self.names[name] = ctypes.cast(pointer, ctypes.POINTER(ctypes.c_int))[0]

        return types.SimpleNamespace(copy_from_host=copy_from_host)


def floats(pointer: np.uint64, n: int) -> np.ndarray:
    return np.ctypeslib.as_array(ctypes.cast(int(pointer), ctypes.POINTER(ctypes.c_float)), (n,))


cuda = types.SimpleNamespace(driver=types.SimpleNamespace(CUDADriverError=type("CUDADriverError", (Exception,), {})),
                             runtime=types.SimpleNamespace(deviceSynchronize=lambda: None))
