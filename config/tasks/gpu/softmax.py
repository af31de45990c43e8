import torch


def softmax(x):
    """Numerically stable softmax over each row."""
    return torch.softmax(x, dim=-1)
