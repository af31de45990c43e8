"""Makes the large arrays of a module's constructor without their memory: one row of each is filled, and stands for all."""

import contextlib
import math

LARGE = 1 << 27  # elements beyond which an array is made so
MADE = frozenset(("empty", "zeros", "ones", "full", "rand", "randn"))


def is_thin(x):
    return x.dim() > 1 and x.shape[0] > 1 and x.stride(0) == 0


def sample(x):
    """Returns the values that are there: the row of an array that was made so, else the array."""
    return x[:1] if is_thin(x) else x


def making(torch, given):
    """Returns a context in which constructors make large arrays as one row. What fills such an array fills the row, and what
    fills a part of it is left out. Everything else that reads it needs the memory of the whole. With values from a file every
    array is made whole."""
    from torch.utils._python_dispatch import TorchDispatchMode

    if given.weights:
        return contextlib.nullcontext()
    rows = {}  # addresses of rows -> (the row, the shape of the array that it stands for)

    class Thin(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            name = str(function).removeprefix("aten.").split(".")[0]
            if name in MADE and args and isinstance(args[0], (list, tuple, torch.Size)):
                shape = tuple(int(n) for n in args[0])
                if len(shape) > 1 and shape[0] > 1 and math.prod(shape) > LARGE:
                    row = function([1, *shape[1:]], *args[1:], **(kwargs or {}))
                    rows[row.untyped_storage().data_ptr()] = (row, shape)
                    return row.expand(shape)
            if name.endswith("_") and args and isinstance(args[0], torch.Tensor):
                whole = rows.get(args[0].untyped_storage().data_ptr())
                if whole is not None:
                    if tuple(args[0].shape) == whole[1]:
                        function(args[0][:1], *args[1:], **(kwargs or {}))
                    return args[0]
            return function(*args, **(kwargs or {}))

    return Thin()
