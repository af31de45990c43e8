import torch.nn.functional as F


def layernorm(x, weight, bias, eps):
    """Each row to mean 0 and variance 1, then scaled and shifted."""
    return F.layer_norm(x, x.shape[-1:], weight, bias, eps)
