"""The part of torch that the search for witnesses on a device uses, over numpy."""

from __future__ import annotations

from typing import Any

import numpy as np

float16, bfloat16, float32, float64 = np.float16, "bfloat16", np.float32, np.float64
int8, uint8, int16, int32, int64, bool = np.int8, np.uint8, np.int16, np.int32, np.int64, np.bool_


class Tensor:
    def __init__(self, data: np.ndarray) -> None:
        self.data = data

    def reshape(self, *shape: Any) -> Tensor:
        return Tensor(self.data.reshape(*shape))

    def to(self, *kinds: Any) -> Tensor:
        return Tensor(self.data.astype(kinds[-1]))

    def contiguous(self) -> Tensor:
        return self

    cpu = contiguous

    def numpy(self) -> np.ndarray:
        return self.data

    def __mul__(self, other: Any) -> Tensor:
        return Tensor((self.data * getattr(other, "data", other)).astype(self.data.dtype))


def from_numpy(data: np.ndarray) -> Tensor:
    return Tensor(data)
