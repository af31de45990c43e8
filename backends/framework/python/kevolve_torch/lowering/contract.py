"""Finds where a temporary is needed: for one iteration of loops around all its uses, or for the whole call."""

from __future__ import annotations

from dataclasses import dataclass

from .index import ZERO, Polynomial, bound, is_nonnegative
from .statements import Buffer, Loop, Statement, Store, Text, expressions, inner, opaque_parts, parts

LOCAL_ELEMENTS = 16384  # of an array that one iteration needs


@dataclass
class Use:
    loops: tuple[Loop, ...]
    place: Polynomial | None
    statement: Statement
    siblings: list[Statement]
    writes: bool


def uses(body: list[Statement], around: tuple[Loop, ...] = ()) -> list[tuple[Buffer, Use]]:
    out: list[tuple[Buffer, Use]] = []
    for s in body:
        roots = expressions(s)
        if isinstance(s, Store):
            roots = roots + opaque_parts(s.place)
            out.append((s.buffer, Use(around, s.place, s, body, True)))
        if isinstance(s, Text):
            out += [(b, Use(around, None, s, body, True)) for b, _ in s.writes]
        if isinstance(s, Loop):
            roots = roots + opaque_parts(s.variable.extent)
        for x in parts(roots):
            if x.op == "load":
                out.append((x.data[0], Use(around, x.data[1], s, body, False)))
        out += uses(inner(s), around + (s,) if isinstance(s, Loop) else around)
    return out


@dataclass
class Home:
    """A temporary's place: inside `loop` (None: the function) with `count` elements, from `offset` of the whole."""

    loop: Loop | None
    offset: Polynomial
    count: Polynomial
    store: Store | None = None  # the only statement that writes it, right in the loop's body: a constant there

    @property
    def is_scalar(self) -> bool:
        return self.count == 1 and self.named

    named: bool = True  # no Text names it as an array


def home_of(buffer: Buffer, seen: list[Use]) -> Home:
    whole = Home(None, ZERO, buffer.count, named=all(u.place is not None for u in seen))
    if not whole.named:
        return whole
    common = seen[0].loops
    for u in seen:
        n = 0
        while n < min(len(common), len(u.loops)) and common[n] is u.loops[n]:
            n += 1
        common = common[:n]
    from .schedule import split_place

    while common:
        outer = {loop.variable for loop in common}
        divided = [split_place(u.place, outer) for u in seen if u.place is not None]
        if all(d is not None and d[0] == divided[0][0] for d in divided):  # type: ignore[index]
            rests = [d[1] for d in divided if d is not None]
            tops = [bound(r, True) for r in rests]
            if all(t is not None for t in tops) and all(is_nonnegative(r) for r in rests):
                top = next((t for t in tops if all(is_nonnegative(t - o) for o in tops)), None)  # type: ignore[operator]
                if top is not None:
                    return _inside(common[-1], divided[0][0], top + 1, seen)  # type: ignore[index]
        common = common[:-1]
    return whole


def _inside(loop: Loop, offset: Polynomial, count: Polynomial, seen: list[Use]) -> Home:
    home = Home(loop, offset, count)
    stores = [u for u in seen if u.writes]
    if count == 1 and len(stores) == 1 and stores[0].siblings is loop.body and isinstance(stores[0].statement, Store):
        if not stores[0].statement.adds:
            home.store = stores[0].statement
    return home


def local_size(body: list[Statement], key: int) -> int | None:
    """Returns how many elements of a buffer must be kept at once, or None if all of them."""
    seen = [(b, u) for b, u in uses(body) if id(b) == key]
    home = home_of(seen[0][0], [u for _, u in seen])
    return home.count.value if home.loop is not None else None


def homes(body: list[Statement]) -> dict[int, Home]:
    """Returns the home of each temporary, by the buffer's identity."""
    found: dict[int, tuple[Buffer, list[Use]]] = {}
    for b, u in uses(body):
        if b.kind == "temporary":
            found.setdefault(id(b), (b, []))[1].append(u)
    out = {}
    for key, (b, seen) in found.items():
        home = home_of(b, seen)
        if home.loop is not None and home.count != 1 and (home.count.value or 0) > LOCAL_ELEMENTS:
            home = Home(None, ZERO, b.count)
        stores = [u for u in seen if u.writes]
        if home.loop is None and home.is_scalar and len(stores) == 1 and stores[0].siblings is body:
            only = stores[0].statement
            if isinstance(only, Store) and not only.adds:
                home.store = only
        out[key] = home
    return out
