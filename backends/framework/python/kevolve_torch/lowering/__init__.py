"""Lowering of PyTorch programs to plain C99: see README.md."""

from .graph import Argument, Lowered, Refusal, Unsupported, decompositions, lower

__all__ = ["Argument", "Lowered", "Refusal", "Unsupported", "decompositions", "lower"]
