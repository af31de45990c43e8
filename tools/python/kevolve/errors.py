"""Errors, each with a text for the person who reads it."""

from __future__ import annotations

from typing import Any


class KevolveError(RuntimeError):
    """Something that the caller can change: the text says what."""


class NodeError(KevolveError):
    """The node refused a request. `status` and `problem` are those of its answer."""

    def __init__(self, status: int, problem: dict[str, Any]) -> None:
        self.status = status
        self.problem = problem
        lines = [str(problem.get("detail") or problem.get("title") or f"the node answered {status}")]
        for e in problem.get("errors") or []:
            key = e.get("key") or ""
            lines.append(f"  {key}: {e.get('detail', '')}" if key else f"  {e.get('detail', '')}")
        super().__init__("\n".join(lines))
