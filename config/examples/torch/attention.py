"""Causal attention of several heads."""

import torch
from torch import nn


class Model(nn.Module):
    def forward(self, q, k, v):
        return nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)


def get_inputs():
    return [torch.randn(1, 8, 128, 64) for _ in range(3)]


def get_init_inputs():
    return []
