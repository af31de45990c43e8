"""Modules and functions as a user has them, for test_describe."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import nn

FACTOR = 3.0
WIDTHS = (4, 8)


def scaled(x: torch.Tensor) -> torch.Tensor:
    return x * FACTOR * math.pi


class Base(nn.Module):
    def twice(self, x: torch.Tensor) -> torch.Tensor:
        return scaled(x) * 2


class Model(Base):
    """Named as KernelBench names it, with the old form of super()."""

    def __init__(self, width: int, eps: float = 1e-5) -> None:
        super(Model, self).__init__()  # noqa: UP008
        self.width = width
        self.norm = nn.LayerNorm(width, eps=eps)
        self.extra = nn.ModuleList([nn.Linear(width, width, bias=False)])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.relu(self.twice(self.norm(x))) + sum(layer(x).sum() for layer in self.extra) + sum(WIDTHS)


class Forgetful(nn.Module):
    def __init__(self, rows: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(rows))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.weight
