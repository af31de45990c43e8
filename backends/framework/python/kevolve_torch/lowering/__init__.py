"""Lowering of PyTorch programs to plain C99: see README.md."""

from .graph import decompositions, lower
from .program import Argument, Lowered, Refusal, Unsupported

__all__ = ["Argument", "Lowered", "Refusal", "Unsupported", "decompositions", "lower"]
