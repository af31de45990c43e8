"""The operators of the micro-kernels in this folder, in PyTorch."""
import torch


def add_forty(x):
    return x + 40.0


def transposed(x):
    return x.t().contiguous()


def wide_state(x):
    a = x[:, None] + torch.arange(56, device=x.device, dtype=x.dtype)
    for _ in range(64):
        a = 0.5 * a + 0.25 * torch.roll(a, -1, 1)
    return a.sum(1)


def scaled_sums(x, scale):
    return x.sum() * scale


def chased(next, warps):
    at = torch.arange(warps, device=next.device, dtype=torch.int64) * 9973 % next.shape[0]
    for _ in range(1000):
        at = next[at].to(torch.int64)
    return at.to(torch.int32)


def rows_of_32(x):
    return 64.0 * x.view(-1, 32).sum(1)


def triad(x, z):
    return 2.0 * x + z


def polynomial(x):
    total = torch.ones_like(x)
    for _ in range(512):
        total = total * x + 0.5
    return total


def doubled(x):
    return 2.0 * x


def relaxed(x):
    parts = [x, 0.5 * x, 0.25 * x, 0.125 * x]
    for _ in range(4096):
        parts = [0.999 * p + 0.001 for p in parts]
    return (parts[0] + parts[1]) + (parts[2] + parts[3])


def strided_sums(x):
    return x.view(-1, 512).sum(1, keepdim=True).expand(-1, 512).reshape(-1)


def first_fields(x):
    return x[:, 0].contiguous()
