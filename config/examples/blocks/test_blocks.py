"""The blocks' own tests, each against what defines the block: `python test_blocks.py`. `made` is a module under test."""

import math
import unittest

import blocks
import torch


def feed_forward(made, x):
    """Compares with the definition, in double."""
    w = {n: p.double() for n, p in made.state_dict().items()}
    z = x.double()
    y = z / (z.pow(2).mean(-1, keepdim=True) + 1e-6).sqrt() * w["norm.weight"]
    gate = y @ w["gate.weight"].T
    return z + (gate / (1 + (-gate).exp()) * (y @ w["up.weight"].T)) @ w["down.weight"].T


def depthwise_block(made, x):
    """Compares with the definition, in double: the convolution as sums over shifted images."""
    w = {n: p.double() for n, p in made.state_dict().items()}
    z = x.double()
    padded = torch.nn.functional.pad(z, (3, 3, 3, 3))
    height, width = z.shape[2:]
    y = w["depthwise.bias"].view(1, -1, 1, 1) + sum(
        padded[:, :, i:i + height, j:j + width] * w["depthwise.weight"][:, 0, i, j].view(1, -1, 1, 1)
        for i in range(7) for j in range(7))
    y = y.permute(0, 2, 3, 1)
    y = (y - y.mean(-1, keepdim=True)) / (y.var(-1, unbiased=False, keepdim=True) + 1e-5).sqrt()
    y = (y * w["norm.weight"] + w["norm.bias"]) @ w["widen.weight"].T + w["widen.bias"]
    y = y * 0.5 * (1 + torch.erf(y / math.sqrt(2)))
    return z + (y @ w["narrow.weight"].T + w["narrow.bias"]).permute(0, 3, 1, 2)


def rotary_attention(made, x):
    """Compares with the definition, in double: pairs of numbers as complex ones that are turned."""
    w = {n: p.double() for n, p in made.state_dict().items()}
    z = x.double()
    batch, length, dim = z.shape
    width = dim // made.heads
    angle = torch.outer(torch.arange(length).double(), 10000.0 ** (-torch.arange(0, width, 2).double() / width))
    turn = torch.polar(torch.ones_like(angle), angle)
    q, k, v = (z @ w["qkv.weight"].T).view(batch, length, 3, made.heads, width).permute(2, 0, 3, 1, 4)
    turned = [torch.view_as_real(torch.view_as_complex(y.reshape(*y.shape[:-1], -1, 2).contiguous()) * turn).flatten(-2) for y in (q, k)]
    scores = (turned[0] @ turned[1].transpose(-1, -2)) / math.sqrt(width)
    scores = scores.masked_fill(torch.ones(length, length, dtype=torch.bool).triu(1), -math.inf)
    return (scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, length, dim) @ w["out.weight"].T


DEFINITIONS = {"FeedForward": feed_forward, "DepthwiseBlock": depthwise_block, "RotaryAttention": rotary_attention}


def check(name, made, seed=3):
    """Raises AssertionError unless the module computes what defines the block: on new inputs, and after its weights change."""
    torch.manual_seed(seed)
    _, like = blocks.example(name)
    torch.manual_seed(seed)
    for change in (0.0, 0.05):
        with torch.no_grad():
            for p in made.parameters():
                p.add_(change * torch.randn_like(p))
            x = torch.randn_like(like)
            torch.testing.assert_close(made(x), DEFINITIONS[name](made, x).float(), rtol=1e-3, atol=1e-4)


class Blocks(unittest.TestCase):
    def test_each_block_computes_what_defines_it(self):
        for name in DEFINITIONS:
            with self.subTest(block=name):
                check(name, blocks.example(name)[0])


if __name__ == "__main__":
    unittest.main()
