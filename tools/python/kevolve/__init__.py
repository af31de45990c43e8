"""kevolve from Python: optimise a PyTorch module, follow and plot campaigns."""

from __future__ import annotations

from .client import Campaign, Node, connect
from .errors import KevolveError, NodeError
from .optimize import optimize

__all__ = ["Campaign", "KevolveError", "Node", "NodeError", "connect", "optimize"]
