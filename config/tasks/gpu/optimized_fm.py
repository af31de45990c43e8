import torch


def optimized_fm(x, y):
    """x (xᵀ y) of each batch, in the order that costs less: with few rows (x xᵀ) y, by way of n times n."""
    n, d = x.shape[1:]
    k = y.shape[2]
    if n * (d + k) < 2 * d * k:
        return torch.bmm(torch.bmm(x, x.transpose(1, 2)), y)
    return optimized_fm_as_published(x, y)


def optimized_fm_as_published(x, y):
    """The order in which the operator was published, whose baseline it was."""
    return torch.bmm(x, torch.bmm(x.transpose(1, 2), y))
