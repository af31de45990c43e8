"""Enlargement of images: nearest and linear."""

from __future__ import annotations

from typing import Any

from ..expression import Expression, as_index, cast, compare, computed, index_value, literal, minimum, select
from ..index import Polynomial
from ..values import Index, Value
from .arithmetic import add, fn, mul, sub
from .registry import Call, operator


def _factors(scales: Any, n: int) -> list[float | None]:
    return [None] * n if not scales else list(scales)


def _nearest(n: int) -> Any:
    def lower(c: Call, x: Value, size: Any = None, *scales: Any) -> Value:
        x = c.context.cheap(x)
        given = _factors(scales[0] if scales and isinstance(scales[0], (list, tuple)) else list(scales) if any(s is not None for s in scales) else None, n)

        def place(p: Polynomial, d: int) -> Polynomial:
            inner, outer = x.shape[2 + d].value, c.shape[2 + d].value
            factor = given[d] if d < len(given) else None
            if inner and outer and outer % inner == 0 and (factor is None or factor == outer // inner):
                return p // (outer // inner)
            step = 1.0 / factor if factor else inner / outer  # type: ignore[operator]
            at = cast(fn("floor", mul(cast(index_value(p), "f32"), literal(step, "f32"))), "i64")
            last = literal((inner or 1) - 1, "i64")
            return as_index(select(compare("<", at, last), at, last))

        return Value(c.dtype, c.shape, lambda i: x.at([*i[:2], *[place(p, d) for d, p in enumerate(i[2:])]]), x.cost + 2)

    return lower


def _linear(n: int) -> Any:
    def lower(c: Call, x: Value, size: Any, align: bool, *scales: Any) -> Value:
        x = c.context.cheap(x)
        given = _factors(scales[0] if scales and isinstance(scales[0], (list, tuple)) else list(scales) if any(s is not None for s in scales) else None, n)
        dtype = computed(c.dtype)

        def at(i: Index) -> Expression:
            spots = []
            for d, p in enumerate(i[2:]):
                inner, outer = x.shape[2 + d].value or 1, c.shape[2 + d].value or 1
                place = cast(index_value(p), dtype)
                if align:
                    source = mul(place, literal((inner - 1) / (outer - 1) if outer > 1 else 0.0, dtype))
                else:
                    factor = given[d] if d < len(given) else None
                    step = 1.0 / factor if factor else inner / outer
                    half = literal(0.5, dtype)
                    source = sub(mul(add(place, half), literal(step, dtype)), half)
                    source = select(compare("<", source, literal(0, dtype)), literal(0, dtype), source)
                low = cast(source, "i64")
                last = literal(inner - 1, "i64")
                low = select(compare(">", low, last), last, low)
                high = select(compare("<", low, last), add(low, literal(1, "i64")), low)
                share = minimum(sub(source, cast(low, dtype)), literal(1, dtype))
                spots.append((as_index(low), as_index(high), share))

            def mix(fixed: list[Polynomial], d: int) -> Expression:
                if d == n:
                    return cast(x.at([*i[:2], *fixed]), dtype)
                low, high, share = spots[d]
                first, second = mix([*fixed, low], d + 1), mix([*fixed, high], d + 1)
                return add(mul(first, sub(literal(1, dtype), share)), mul(second, share))

            return mix([], 0)

        return Value(c.dtype, c.shape, at, 20)

    return lower


for _n, _name in ((1, "nearest1d"), (2, "nearest2d"), (3, "nearest3d")):
    operator(f"upsample_{_name}.vec", f"upsample_{_name}.default")(_nearest(_n))
for _n, _name in ((1, "linear1d"), (2, "bilinear2d"), (3, "trilinear3d")):
    operator(f"upsample_{_name}.vec", f"upsample_{_name}.default")(_linear(_n))
