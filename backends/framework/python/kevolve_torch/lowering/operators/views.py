"""Operators that move elements about: views, joins, padding, and tensors made of indices."""

from __future__ import annotations

from typing import Any

from ..expression import binary, both, cast, compare, computed, index_value, literal, select
from ..index import ZERO, Polynomial, as_polynomial, constant, flatten, is_within
from ..values import CHEAP, Index, Value, reshaped
from .pointwise import broadcast
from .registry import Call, NotLowered, operator


def axis(d: int, rank: int) -> int:
    return d % rank if rank else 0


def moved(x: Value, shape: tuple, back: Any) -> Value:
    """Returns the view whose element at an index is that of x at `back(index)`."""
    return Value(x.dtype, shape, lambda index: x.at(back(list(index))), x.cost, constant=x.constant)


@operator("view.default", "reshape.default", "_unsafe_view.default", "view_copy.default", "flatten.using_ints", "_reshape_copy.default",
          "unflatten.int")  # fmt: skip
def _view(c: Call, x: Value, *_: Any) -> Value:
    made = reshaped(x, c.shape)
    if made.buffer is None and not x.constant and remainders(made):
        made = reshaped(c.context.realise(x), c.shape)  # as torch copies what has no such view
    return made


def remainders(x: Value) -> bool:
    """Returns true if reading the tensor along its dims takes quotients or remainders."""
    from ..schedule import quotients
    from ..statements import Declare, loops

    return quotients(loops(list(x.shape), 0, lambda i, _: [Declare("x", x.dtype, x.at(i))])) > 0


@operator("squeeze.default", "squeeze.dim", "squeeze.dims", "unsqueeze.default", "squeeze_copy.dim", "unsqueeze_copy.default")
def _squeeze(c: Call, x: Value, *_: Any) -> Value:
    return reshaped(x, c.shape)


@operator("permute.default", "permute_copy.default")
def _permute(c: Call, x: Value, dims: list[int]) -> Value:
    places = [axis(d, x.rank) for d in dims]
    if places == sorted(places):
        return x
    return moved(x, c.shape, lambda i: [i[places.index(d)] for d in range(x.rank)])


@operator("transpose.int", "t.default", "numpy_T.default")
def _transpose(c: Call, x: Value, a: int = 0, b: int = 1) -> Value:
    if x.rank < 2:
        return x
    order = list(range(x.rank))
    a, b = axis(a, x.rank), axis(b, x.rank)
    order[a], order[b] = order[b], order[a]
    return _permute(c, x, order)


@operator("expand.default", "expand_copy.default")
def _expand(c: Call, x: Value, *_: Any, **__: Any) -> Value:
    if x.shape == c.shape:
        return x
    if x.cost > CHEAP:
        c.context.realise(x)
    return Value(x.dtype, c.shape, broadcast(x, c.shape), x.cost, constant=x.constant)


@operator("slice.Tensor", "slice_copy.Tensor")
def _slice(c: Call, x: Value, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Value:
    d = axis(dim, x.rank)
    begin = as_polynomial(0 if start is None else start)
    if begin.value is not None and begin.value < 0:
        begin = x.shape[d] + begin
    if begin.value is not None and x.shape[d].value is not None:
        begin = constant(min(max(begin.value, 0), x.shape[d].value))
    if begin == 0 and step == 1 and c.shape == x.shape:
        return x
    return moved(x, c.shape, lambda i: i[:d] + [i[d] * step + begin] + i[d + 1 :])


@operator("select.int", "select_copy.int")
def _select(c: Call, x: Value, dim: int, at: Any) -> Value:
    d = axis(dim, x.rank)
    place = as_polynomial(at)
    if place.value is not None and place.value < 0:
        place = x.shape[d] + place
    return moved(x, c.shape, lambda i: i[:d] + [place] + i[d:])


@operator("flip.default")
def _flip(c: Call, x: Value, dims: list[int]) -> Value:
    turned = {axis(d, x.rank) for d in dims}
    return moved(x, c.shape, lambda i: [x.shape[d] - 1 - p if d in turned else p for d, p in enumerate(i)])


@operator("roll.default")
def _roll(c: Call, x: Value, shifts: list[int], dims: list[int] | None = None) -> Value:
    if not dims:
        line = reshaped(x, (x.count,))
        return reshaped(_rolled(line, [(0, shifts[0])]), c.shape)
    return _rolled(x, [(axis(d, x.rank), s) for d, s in zip(dims, shifts, strict=True)])


def _rolled(x: Value, turns: list[tuple[int, int]]) -> Value:
    def back(i: list[Polynomial]) -> list[Polynomial]:
        for d, s in turns:
            n = x.shape[d]
            if n != 1:
                i[d] = (i[d] + (n - s % n.value if n.value else n - s)) % n
        return i

    return moved(x, x.shape, back)


@operator("diagonal.default", "diagonal_copy.default")
def _diagonal(c: Call, x: Value, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Value:
    a, b = axis(dim1, x.rank), axis(dim2, x.rank)

    def back(i: list[Polynomial]) -> list[Polynomial]:
        rest = i[:-1]
        out: list[Polynomial] = []
        for d in range(x.rank):
            if d == a:
                out.append(i[-1] + max(-offset, 0))
            elif d == b:
                out.append(i[-1] + max(offset, 0))
            else:
                out.append(rest.pop(0))
        return out

    return moved(x, c.shape, back)


@operator("unfold.default", "unfold_copy.default")
def _unfold(c: Call, x: Value, dim: int, size: int, step: int) -> Value:
    if x.rank == 0:
        return reshaped(x, c.shape)
    d = axis(dim, x.rank)
    return moved(x, c.shape, lambda i: i[:d] + [i[d] * step + i[-1]] + i[d + 1 : -1])


@operator("as_strided.default", "as_strided_copy.default")
def _as_strided(c: Call, x: Value, size: list[int], stride: list[int], offset: int | None = None) -> Value:
    line = reshaped(c.context.realise(x), (x.count,))
    return moved(line, c.shape, lambda i: [sum((p * s for p, s in zip(i, stride, strict=True)), as_polynomial(offset or 0))])


def _pieces(c: Call, x: Value, dim: int) -> list[Value]:
    d = axis(dim, x.rank)
    out, start = [], ZERO
    for dtype, shape in c.outputs:
        del dtype
        out.append(moved(x, shape, lambda i, start=start: i[:d] + [i[d] + start] + i[d + 1 :]))
        start = start + as_polynomial(shape[d])
    return out


@operator("split.Tensor", "split_with_sizes.default", "chunk.default", "split_with_sizes_copy.default", "split_copy.Tensor")
def _split(c: Call, x: Value, _: Any, dim: int = 0) -> tuple:
    return tuple(_pieces(c, c.context.cheap(x), dim))


@operator("unbind.int", "unbind_copy.int")
def _unbind(c: Call, x: Value, dim: int = 0) -> tuple:
    d = axis(dim, x.rank)
    c.context.cheap(x)
    return tuple(moved(x, shape, lambda i, n=n: i[:d] + [constant(n)] + i[d:]) for n, (_, shape) in enumerate(c.outputs))


def joined(c: Call, xs: list[Value], d: int) -> Value:
    """Returns tensors one after the other along a dim: a nest for each, so that no element asks where it comes from."""
    from ..statements import Store

    buffer = c.context.buffer("joined", c.dtype, c.shape)
    start = ZERO
    for x in xs:

        def build(index: list[Polynomial], depth: int, x: Value = x, start: Polynomial = start) -> list:
            place = flatten(index[:d] + [index[d] + start] + index[d + 1 :], c.shape)
            return [Store(buffer, place, cast(x.at(index), buffer.dtype))]

        c.context.nest(x.shape, build)
        start = start + x.shape[d]
    from ..values import of_buffer

    out = of_buffer(buffer)
    out.dtype = c.dtype
    return out


@operator("cat.default", "concat.default")
def _cat(c: Call, xs: list[Value], dim: int = 0) -> Value:
    xs = [x for x in xs if not (x.rank == 1 and x.shape[0] == 0 and len(c.shape) != 1)]
    xs = [x for x in xs if x.count != 0] or xs[:1]
    return joined(c, xs, axis(dim, len(c.shape)))


@operator("stack.default")
def _stack(c: Call, xs: list[Value], dim: int = 0) -> Value:
    d = axis(dim, len(c.shape))
    return joined(c, [reshaped(x, (*x.shape[:d], 1, *x.shape[d:])) for x in xs], d)


def guarded(x: Value, places: list[Polynomial], otherwise: Any) -> Any:
    """Returns x at places that may lie outside its shape, and `otherwise` there."""
    inside = literal(True, "bool")
    for p, n in zip(places, x.shape, strict=True):
        if not is_within(p, n):
            inside = both(inside, both(compare(">=", index_value(p), literal(0, "i64")), compare("<", index_value(p), index_value(n))))
    return select(inside, x.at(places), otherwise, guard=True)


@operator("constant_pad_nd.default", "pad.default")
def _pad(c: Call, x: Value, pad: list[Any], *rest: Any, **named: Any) -> Value:
    value = named.get("value", rest[-1] if rest and not isinstance(rest[-1], str) else 0) or 0
    before: list[Any] = [0] * x.rank
    for n in range(len(pad) // 2):
        before[x.rank - 1 - n] = pad[2 * n]
    c.context.cheap(x, 0 if x.cost > CHEAP else CHEAP)
    fill = literal(value, computed(x.dtype))
    return Value(c.dtype, c.shape, lambda i: guarded(x, [p - b for p, b in zip(i, before, strict=True)], fill), x.cost + 1)


def mirrored(p: Polynomial, n: Polynomial, before: Any, replicate: bool) -> Polynomial:
    """Returns the place in a dim of extent n that a place of the padded dim repeats or mirrors."""
    from ..expression import as_index

    at = index_value(p - before)
    zero, last = literal(0, "i64"), index_value(n - 1)
    if replicate:
        low = select(compare("<", at, zero), zero, at)
        return as_index(select(compare(">", low, last), last, low))
    low = select(compare("<", at, zero), index_value(-(p - before)), at)
    return as_index(select(compare(">", low, last), binary("-", index_value(2 * n - 2), low), low))


def _edges(replicate: bool) -> Any:
    def lower(c: Call, x: Value, pad: list[int]) -> Value:
        c.context.cheap(x)
        before = {x.rank - 1 - n: pad[2 * n] for n in range(len(pad) // 2)}
        back = lambda i: [mirrored(p, x.shape[d], before[d], replicate) if d in before else p for d, p in enumerate(i)]
        return moved(x, c.shape, back)

    return lower


for _n in (1, 2, 3):
    operator(f"reflection_pad{_n}d.default")(_edges(False))
    operator(f"replication_pad{_n}d.default")(_edges(True))


@operator("repeat.default")
def _repeat(c: Call, x: Value, repeats: list[int]) -> Value:
    c.context.cheap(x)
    shift = len(c.shape) - x.rank
    return moved(x, c.shape, lambda i: [ZERO if x.shape[d] == 1 else i[d + shift] % x.shape[d] for d in range(x.rank)])


@operator("repeat_interleave.self_int")
def _repeat_interleave(c: Call, x: Value, repeats: int, dim: int | None = None, **_: Any) -> Value:
    x = reshaped(x, (x.count,)) if dim is None else x
    d = axis(dim or 0, x.rank)
    return moved(x, c.shape, lambda i: i[:d] + [i[d] // repeats] + i[d + 1 :])


@operator("pixel_shuffle.default", "pixel_unshuffle.default", "channel_shuffle.default")
def _shuffle(c: Call, x: Value, factor: int) -> Value:
    raise NotLowered("decomposed by torch before it comes here")


@operator("im2col.default")
def _im2col(c: Call, x: Value, kernel: list[int], dilation: list[int], padding: list[int], stride: list[int]) -> Value:
    batched = x.rank == 4
    x4 = x if batched else reshaped(x, (1, *x.shape))
    n, ch, h, w = x4.shape
    size = [(e + 2 * padding[k] - dilation[k] * (kernel[k] - 1) - 1) // stride[k] + 1 for k, e in enumerate((h, w))]
    inner = (n, ch, kernel[0], kernel[1], size[0], size[1])

    def at(i: Index) -> Any:
        b, k, u, v, y, z = i
        return guarded(x4, [b, k, y * stride[0] + u * dilation[0] - padding[0], z * stride[1] + v * dilation[1] - padding[1]], literal(0, x.dtype))

    return reshaped(Value(c.dtype, inner, at, 2), c.shape)

