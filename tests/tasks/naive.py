"""Plain definitions of the operators in NumPy, in the precision of their inputs."""

from __future__ import annotations

import math
from bisect import bisect_left

import numpy as np

Array = np.ndarray


def conv1d(x: Array, weight: Array, bias: Array, **_: int) -> Array:
    length = x.shape[2]
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1)))
    return sum(weight[:, :, tap] @ padded[:, :, tap:tap + length] for tap in range(3)) + bias[:, None]


def optimized_fm(x: Array, y: Array, **_: int) -> Array:
    return np.stack([a @ (a.T @ b) for a, b in zip(x, y, strict=True)])


def pffn(x: Array, w1: Array, b1: Array, w2: Array, eps: float, **_: int) -> Array:
    def rms_norm(h: Array) -> Array:
        return h / np.sqrt((h * h).mean(axis=-1, keepdims=True) + h.dtype.type(eps))

    h = x @ w1 + b1
    h = h * (0.5 * (1.0 + np.vectorize(math.erf)(h / math.sqrt(2.0)))).astype(h.dtype)
    return rms_norm(rms_norm(h) @ w2)


def softmax(x: Array, **_: int) -> Array:
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def layernorm(x: Array, weight: Array, bias: Array, eps: float, **_: int) -> Array:
    centred = x - x.mean(axis=1, keepdims=True)
    variance = (centred * centred).mean(axis=1, keepdims=True)
    return centred / np.sqrt(variance + x.dtype.type(eps)) * weight + bias


def gemm(a: Array, b: Array, **_: int) -> Array:
    return a @ b


def attention(q: Array, k: Array, v: Array, dim: int, causal: bool = False, **_: int) -> Array:
    out = np.empty_like(q)
    for at in np.ndindex(q.shape[:2]):
        scores = q[at] @ k[at].T / q.dtype.type(math.sqrt(dim))
        if causal:
            scores[np.triu_indices_from(scores, 1)] = -np.inf
        out[at] = softmax(scores) @ v[at]
    return out


def attention_causal(q: Array, k: Array, v: Array, dim: int, **_: int) -> Array:
    return attention(q, k, v, dim, causal=True)


def map_id(table: Array, values: Array, **_: int) -> Array:
    entries, out = table.tolist(), []
    for v in values.tolist():
        at = min(bisect_left(entries, v), len(entries) - 1)
        out.append(at + 1 if entries[at] == v else 0)
    return np.array(out)


def mbdt(x: Array, borders: Array, offsets: Array, **_: int) -> Array:
    rows = [[sum(v > b for b in own) for v in row] for row, own in zip(x.tolist(), borders.tolist(), strict=True)]
    return np.array(rows) + offsets[:, None]


def batch_event_truncate(outer: Array, inner: Array, values: Array, features: int, keep: int,
                         **_: int) -> tuple[Array, ...]:
    new_inner: list[int] = []
    new_values: list[int] = []
    lengths, items = iter(inner.tolist()), iter(values.tolist())
    for _feature in range(features):
        for events in outer.tolist():
            for event in range(events):
                length = next(lengths)
                own = [next(items) for _item in range(length)]
                if event < keep:
                    new_inner.append(length)
                    new_values += own
    counts = np.array([len(new_inner)]), np.array([len(new_values)])
    return np.minimum(outer, keep), np.array(new_inner, np.int64), np.array(new_values, np.int64), *counts
