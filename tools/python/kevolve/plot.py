"""A campaign as a figure: its best so far over candidates, and its tree coloured by speed-up."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from .errors import KevolveError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def best_so_far(tree: list[dict[str, Any]]) -> list[tuple[int, float]]:
    """Returns (candidates, speed-up) at each candidate that raised the best; it begins with the reference."""
    out = [(0, 1.0)]
    for row in tree:
        if row["index"] > 0 and row["verdict"] == "pass" and row["speedup"] > out[-1][1]:
            out.append((row["index"], row["speedup"]))
    return out


def layout(tree: list[dict[str, Any]]) -> dict[int, tuple[float, int]]:
    """Returns (x, depth) of each candidate: leaves side by side, a parent in the middle of its children."""
    children: dict[int, list[int]] = {}
    known = {row["index"] for row in tree}
    for row in tree:
        parents = [p for p in row["parents"] if p in known and p < row["index"]]
        if row["index"] > 0:
            children.setdefault(parents[0] if parents else 0, []).append(row["index"])
    out: dict[int, tuple[float, int]] = {}
    leaves = 0
    waiting: list[tuple[int, int, bool]] = [(0, 0, False)]
    while waiting:
        index, depth, seen = waiting.pop()
        below = children.get(index, [])
        if not below:
            out[index] = (float(leaves), depth)
            leaves += 1
        elif seen:
            out[index] = (sum(out[c][0] for c in below) / len(below), depth)
        else:
            waiting.append((index, depth, True))
            waiting.extend((c, depth + 1, False) for c in reversed(below))
    return out


def figure_of(status: dict[str, Any], tree: list[dict[str, Any]]) -> Figure:
    try:
        from matplotlib.colors import TwoSlopeNorm
        from matplotlib.figure import Figure
    except ImportError as error:
        raise KevolveError("plots need matplotlib: pip install matplotlib") from error
    if not tree:
        raise KevolveError("the campaign has no candidates yet: there is nothing to plot")
    figure = Figure(figsize=(11, 4.2), layout="constrained")
    curve, graph = figure.subplots(1, 2)
    figure.suptitle(f"{status['name']} ({status['id'][:8]}), {status['state']}")

    steps = best_so_far(tree)
    last = max(row["index"] for row in tree)
    curve.step([x for x, _ in steps] + [last], [y for _, y in steps] + [steps[-1][1]], where="post")
    passed = [row for row in tree if row["index"] > 0 and row["verdict"] == "pass" and row["speedup"] > 0]
    curve.scatter([r["index"] for r in passed], [r["speedup"] for r in passed], s=12, alpha=0.5)
    curve.axhline(1.0, linewidth=0.8, linestyle=":", color="grey")
    curve.set_xlabel("candidates")
    curve.set_ylabel("speed-up over the reference")
    curve.set_title("best so far")

    places = layout(tree)
    for row in tree:
        for parent in row["parents"][:1]:
            if parent in places and row["index"] in places and row["index"] > 0:
                (x0, y0), (x1, y1) = places[parent], places[row["index"]]
                graph.plot([x0, x1], [y0, y1], linewidth=0.6, color="lightgrey", zorder=1)
    failed = [row for row in tree if row["index"] > 0 and row["verdict"] not in ("pass", None)]
    graph.scatter(*_points(failed, places), marker="x", s=18, color="grey", zorder=2, label="no pass")
    logs = [math.log2(r["speedup"]) for r in passed]
    most = max((abs(x) for x in logs), default=1.0) or 1.0
    dots = graph.scatter(
        *_points(passed, places), c=logs, norm=TwoSlopeNorm(0.0, -most, most), cmap="RdYlGn", s=26, zorder=3
    )
    graph.scatter(*_points(tree[:1], places), marker="s", s=30, color="black", zorder=3)
    graph.invert_yaxis()
    graph.set_xticks([])
    graph.set_ylabel("depth")
    graph.set_title("search tree")
    bar = figure.colorbar(dots, ax=graph, label="speed-up over the reference")
    bar.ax.yaxis.set_major_formatter(lambda x, _: f"{2**x:.2g}x")
    return figure


def _points(rows: list[dict[str, Any]], places: dict[int, tuple[float, int]]) -> tuple[list[float], list[int]]:
    found = [places[r["index"]] for r in rows if r["index"] in places]
    return [x for x, _ in found], [y for _, y in found]
