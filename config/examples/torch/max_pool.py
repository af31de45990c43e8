"""Max pooling of 3x3 with stride 2."""

import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x):
        return nn.functional.max_pool2d(x, 3, stride=2, padding=1)


def get_inputs():
    return [torch.randn(4, 32, 64, 64)]


def get_init_inputs():
    return []
