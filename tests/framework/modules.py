"""Ten modules as people write them, each with inputs of odd sizes."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F


class LinearGeluNorm(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(33, 65)
        self.norm = nn.LayerNorm(65)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(F.gelu(self.linear(x)))


class Softmax(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(x, dim=-1)


class CausalAttention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.project = nn.Linear(24, 72)
        self.out = nn.Linear(24, 24)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, t, c = x.shape
        q, k, v = (y.view(b, t, 3, c // 3).transpose(1, 2) for y in self.project(x).split(c, dim=2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(b, t, c))


class ConvNormRelu(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 10, 3, stride=2, padding=1)
        self.norm = nn.BatchNorm2d(10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.relu(self.norm(self.conv(x)))


class PoolingNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.grow = nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1, output_padding=1, groups=2)
        self.head = nn.Linear(6 * 9, 7)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.max_pool2d(F.relu(self.grow(x)), 2)
        x = F.avg_pool2d(F.pad(x, (1, 0, 0, 2)), 3, stride=2, padding=1)
        return self.head(F.adaptive_avg_pool2d(x, 3).flatten(1))


class Bag(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.bag = nn.EmbeddingBag(50, 17, mode="mean")
        self.head = nn.Linear(17, 3)

    def forward(self, index: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
        return self.head(self.bag(index, offsets))


class RMSNorm(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.RMSNorm(31)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(x)


class SwiGLU(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(20, 37, bias=False)
        self.up = nn.Linear(20, 37, bias=False)
        self.down = nn.Linear(37, 20, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.down(F.silu(self.gate(x)) * self.up(x))


class GroupNormSilu(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.GroupNorm(3, 12)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.silu(self.norm(x))


class LogSumExpHead(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.head = nn.Linear(19, 41)

    def forward(self, x: torch.Tensor, target: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        scores = self.head(x)
        level = torch.logsumexp(scores, dim=1)
        return level, level - scores.gather(1, target[:, None]).squeeze(1)


def cases() -> list[tuple[str, nn.Module, tuple[torch.Tensor, ...]]]:
    """Returns (name, module, inputs); parameters and buffers are drawn away from identity."""
    torch.manual_seed(7)
    whole = torch.randint
    out: list[tuple[str, nn.Module, tuple[torch.Tensor, ...]]] = [
        ("linear_gelu_norm", LinearGeluNorm(), (torch.randn(3, 5, 33),)),
        ("softmax", Softmax(), (torch.randn(7, 29),)),
        ("causal_attention", CausalAttention(), (torch.randn(2, 11, 24),)),
        ("conv_norm_relu", ConvNormRelu(), (torch.randn(2, 3, 13, 17),)),
        ("pooling_net", PoolingNet(), (torch.randn(2, 4, 9, 11),)),
        ("bag", Bag(), (whole(0, 50, (23,)), torch.tensor([0, 5, 5, 14]))),
        ("rms_norm", RMSNorm(), (torch.randn(6, 31),)),
        ("swiglu", SwiGLU(), (torch.randn(2, 5, 20),)),
        ("group_norm_silu", GroupNormSilu(), (torch.randn(2, 12, 5, 7),)),
        ("log_sum_exp_head", LogSumExpHead(), (torch.randn(9, 19), whole(0, 41, (9,)))),
    ]
    for _, module, _ in out:
        for t in [*module.parameters(), *module.buffers()]:
            if t.dtype.is_floating_point:
                t.data = torch.rand_like(t) + 0.5 if t.dim() == 1 else torch.randn_like(t) * 0.3
        module.eval()
    return out
