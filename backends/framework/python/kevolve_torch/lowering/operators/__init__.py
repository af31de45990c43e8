"""Lowerings of operators, by subject; importing this package registers them."""

from . import attention, convolution, creation, indexing, norms, ordering, pointwise, pooling, products, reductions, scattering, upsample, views
from .registry import TABLE, Call, NotLowered

__all__ = ["TABLE", "Call", "NotLowered", "attention", "convolution", "creation", "indexing", "norms", "ordering", "pointwise", "pooling", "products",
           "reductions", "scattering", "upsample", "views"]  # fmt: skip
