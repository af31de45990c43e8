"""A linear layer, GELU and layer normalisation."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, cols):
        super().__init__()
        self.linear = nn.Linear(cols, cols)
        self.norm = nn.LayerNorm(cols)

    def forward(self, x):
        return self.norm(nn.functional.gelu(self.linear(x)))


def get_inputs():
    return [torch.randn(128, 512)]


def get_init_inputs():
    return [512]
