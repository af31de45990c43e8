import torch
import torch.nn.functional as F


def conv1d(x, weight, bias):
    """One-dimensional convolution, stride 1, padding 1."""
    return F.conv1d(x, weight, bias, padding=1)


def conv1d_as_conv2d(x, weight, bias):
    """The same as a convolution in two dimensions with channels last: the work-around known to be faster."""
    x = x.unsqueeze(2).contiguous(memory_format=torch.channels_last)
    weight = weight.unsqueeze(2).contiguous(memory_format=torch.channels_last)
    return F.conv2d(x, weight, bias, padding=(0, 1)).squeeze(2).contiguous()
