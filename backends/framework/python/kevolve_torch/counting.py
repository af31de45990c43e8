"""Counts the work of a call while it runs, also on tensors without memory, and cuts what products take as tensor cores do."""

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import flop_registry

PRODUCTS = ("mm", "addmm", "bmm", "baddbmm", "linear", "convolution", "_convolution", "mkldnn_rnn_layer", "conv1d", "conv2d",
            "conv3d", "_scaled_dot_product_flash_attention_for_cpu", "scaled_dot_product_attention", "matmul", "einsum",
            "_scaled_dot_product_attention_math", "convolution_overrideable", "addmv", "mv", "dot", "addbmm")
ELEMENT = 32  # operations of a product that take as long as one element of anything else
DROPPED_BITS = 13  # of a float32's 23 bits of mantissa, TF32 drops these


def name_of(function):
    return str(function).removeprefix("aten.").split(".")[0]


class Counted(TorchDispatchMode):
    """Sums the operations of everything that runs: products by torch's flop counter, a fixed number for each
    element elsewhere."""

    def __init__(self):
        super().__init__()
        self.operations = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        out = function(*args, **(kwargs or {}))
        counter = flop_registry.get(function._overloadpacket)
        if counter is not None:
            self.operations += counter(*args, **(kwargs or {}), out_val=out)
        else:
            self.operations += ELEMENT * sum(x.numel() for x in torch.utils._pytree.tree_leaves(out)
                                             if isinstance(x, torch.Tensor))
        return out


def cut_to_tf32(x):
    """Returns a float32 tensor with the mantissa of TF32. Tensor cores ignore the other bits; libraries that round first
    err less, above all in sums of values of one sign.
    """
    if not isinstance(x, torch.Tensor) or x.dtype != torch.float32:
        return x
    cut = x.contiguous().view(torch.int32) & -(1 << DROPPED_BITS)
    return torch.where(torch.isfinite(x), cut.view(torch.float32), x)


def is_depthwise(args):
    """Returns true for a convolution with one channel a group, which no library gives to tensor cores."""
    tensors = [x for x in args[:2] if isinstance(x, torch.Tensor)]
    return len(args) == 9 and isinstance(args[8], int) and args[8] > 1 and len(tensors) == 2 and args[8] == tensors[0].shape[1]


class Tf32(TorchDispatchMode):
    """Cuts what products and convolutions take, as tensor cores do with TF32."""

    def __init__(self):
        super().__init__()
        self.products = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if name_of(function) in PRODUCTS and not is_depthwise(args):
            self.products += 1
            args = torch.utils._pytree.tree_map(cut_to_tf32, args)
        return function(*args, **(kwargs or {}))
