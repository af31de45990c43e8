"""Three blocks as projects have them: plain modules, written without a thought of kevolve."""

import torch
from torch import nn
from torch.nn import functional as F


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.dim = dim
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


class FeedForward(nn.Module):
    """A gated feed-forward layer behind a norm, with its residual."""

    def __init__(self, dim=192, hidden=512):
        super().__init__()
        self.norm = RMSNorm(dim)
        self.gate = nn.Linear(dim, hidden, bias=False)
        self.up = nn.Linear(dim, hidden, bias=False)
        self.down = nn.Linear(hidden, dim, bias=False)

    def forward(self, x):
        y = self.norm(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class DepthwiseBlock(nn.Module):
    """A block of a convolutional network: depthwise convolution, norm over channels, two pointwise layers, residual."""

    def __init__(self, channels=48, expansion=4):
        super().__init__()
        self.depthwise = nn.Conv2d(channels, channels, 7, padding=3, groups=channels)
        self.norm = nn.LayerNorm(channels)
        self.widen = nn.Linear(channels, expansion * channels)
        self.narrow = nn.Linear(expansion * channels, channels)

    def forward(self, x):
        y = self.depthwise(x).permute(0, 2, 3, 1)
        y = self.narrow(F.gelu(self.widen(self.norm(y))))
        return x + y.permute(0, 3, 1, 2)


class RotaryAttention(nn.Module):
    """Causal attention with rotary positions."""

    def __init__(self, dim=128, heads=4, longest=128):
        super().__init__()
        self.heads = heads
        width = dim // heads
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.out = nn.Linear(dim, dim, bias=False)
        angle = torch.outer(torch.arange(longest).float(), 10000.0 ** (-torch.arange(0, width, 2).float() / width))
        self.register_buffer("cos", angle.cos(), persistent=False)
        self.register_buffer("sin", angle.sin(), persistent=False)

    def turned(self, x):
        even, odd = x[..., 0::2], x[..., 1::2]
        return torch.stack((even * self.cos - odd * self.sin, even * self.sin + odd * self.cos), -1).flatten(-2)

    def forward(self, x):
        batch, length, dim = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, dim // self.heads).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(self.turned(q), self.turned(k), v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(batch, length, dim))


def example(name):
    """Returns a module of that name with weights away from their initial values, and an input."""
    torch.manual_seed(2)
    module, x = {"FeedForward": lambda: (FeedForward(), torch.randn(64, 192)),
                 "DepthwiseBlock": lambda: (DepthwiseBlock(), torch.randn(1, 48, 28, 28)),
                 "RotaryAttention": lambda: (RotaryAttention(), torch.randn(2, 128, 128))}[name]()
    with torch.no_grad():
        for p in module.parameters():
            p.add_(0.02 * torch.randn_like(p))
    return module.eval(), x
