"""A SwiGLU block of a transformer."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, cols, inner):
        super().__init__()
        self.gate = nn.Linear(cols, inner, bias=False)
        self.up = nn.Linear(cols, inner, bias=False)
        self.down = nn.Linear(inner, cols, bias=False)

    def forward(self, x):
        return self.down(nn.functional.silu(self.gate(x)) * self.up(x))


def get_inputs():
    return [torch.randn(64, 256)]


def get_init_inputs():
    return [256, 512]
