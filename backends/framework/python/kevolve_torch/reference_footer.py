import torch as _torch
from torch.utils import _pytree
from torch.utils._python_dispatch import TorchDispatchMode as _DispatchMode

_NARROW = (_torch.float32, _torch.float16, _torch.bfloat16)
_DEVICE = "cuda" if _torch.cuda.is_available() else "cpu"


def _wide(x):
    if isinstance(x, _torch.dtype) and x in _NARROW:
        return _torch.float64
    return x.double() if isinstance(x, _torch.Tensor) and x.dtype in _NARROW else x


class _Double(_DispatchMode):
    """Makes every operator one on float64: constants, and the states that forward() makes, are converted."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        args, kwargs = _pytree.tree_map(_wide, (args, kwargs or {}))
        return _pytree.tree_map(_wide, function(*args, **kwargs))


def _in_double(call, *arguments):
    before = _torch.get_default_dtype()
    _torch.set_default_dtype(_torch.float64)
    try:
        with _torch.inference_mode(False), _torch.no_grad(), _Double():  # views of converted constants need a version
            return call(*arguments)
    finally:
        _torch.set_default_dtype(before)


def _made(make, training, replaced):
    """Returns the module without the values that the task gives."""
    with _torch.device(_DEVICE):
        _torch.manual_seed(0)
        module = make()
    module.to(_DEVICE).train(training).requires_grad_(False)
    for name, x in [*module.named_parameters(), *module.named_buffers()]:
        if name in replaced:
            x.data = x.data.new_empty(0)
    return module


def _written(x):
    """Returns a copy that calls may write into, also where inference mode made the module."""
    with _torch.inference_mode(False):
        return x.clone()


def _outputs(result):
    """Returns the tensors of a result in order; a number is an array of one element."""
    return tuple(x.reshape(1) if x.dim() == 0 else x for x in _pytree.tree_leaves(result))
