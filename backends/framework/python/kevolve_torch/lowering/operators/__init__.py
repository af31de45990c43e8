"""Lowerings of operators, by subject; importing this package registers them."""

from . import attention, convolution, indexing, norms, ordering, pointwise, pooling, products, reductions, upsample, views
from .registry import TABLE, Call, NotLowered

__all__ = ["TABLE", "Call", "NotLowered", "attention", "convolution", "indexing", "norms", "ordering", "pointwise", "pooling", "products",
           "reductions", "upsample", "views"]  # fmt: skip
