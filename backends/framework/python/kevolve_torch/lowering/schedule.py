"""Joins nests that hand values to each other, so that rows and elements stay near: loop fusion by legal prefixes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .index import Polynomial, Quotient, Size, Variable, is_within, product
from .statements import (
    Accesses,
    Buffer,
    Declare,
    If,
    Loop,
    Nest,
    Statement,
    Store,
    Text,
    Update,
    accesses,
    conflict,
    expressions,
    indices_in,  # fmt: skip
    loops,
    merged,
    opaque_parts,
    parts,
    spread,
    walk,
)

REBUILT = 6  # members of a group that is built again with other loops
HEAVY_ROW = 4096  # elements that one iteration of joined products may hand over
PANEL = 64 * 1024  # elements of a factor that is read anew by each row: more do not fit into a packed panel as a whole


@dataclass
class Group:
    members: list[tuple[Nest, list[Polynomial]]]
    body: list[Statement]
    touched: Accesses


def estimate(p: Polynomial) -> int:
    """Returns a number for comparing iteration counts; sizes count as 64."""
    out = 0
    for m, c in p.terms.items():
        out += c * 64 ** sum(isinstance(a, Size) for a in m)
    return out


def build(nest: Nest, structure: list[Polynomial]) -> list[Statement]:
    return loops(structure, 0, lambda index, depth: nest.build(spread(index, nest.dims), depth))


def natural(nest: Nest) -> list[Polynomial]:
    return [d for d in nest.dims if d != 1]


def flat(nest: Nest) -> list[Polynomial]:
    return merged(natural(nest), lambda index: nest.build(spread(index, nest.dims), len(index)), 0)


def quotients(body: list[Statement]) -> int:
    return sum(isinstance(a, Quotient) for p in indices_in(body) for a in p.atoms())


def is_heavy(body: list[Statement]) -> bool:
    """Returns true for products: a sum over a loop whose terms multiply two loads."""
    for s in walk(body):
        if isinstance(s, Loop):
            for t in walk(s.body):
                if isinstance(t, Update) and t.op == "+" and t.value.op == "*":
                    if all(x.op == "load" for x in t.value.operands) and t.value.operands[0] is not t.value.operands[1]:
                        return True
    return False


def tiled(body: list[Statement]) -> list[tuple[Loop, Loop]]:
    """Returns the two outer loops of each product that reads a whole large factor anew in each iteration of the first: the
    second is tiled and changes places with it, and so nothing else may stand in the first."""
    out = []
    for rows in walk(body):
        for columns in rows.body if isinstance(rows, Loop) else ():
            if not isinstance(columns, Loop) or not any(isinstance(s, Loop) and is_heavy([s]) for s in columns.body):
                continue
            for buffer, place in accesses(columns.body).reads:
                again = place is not None and (step := place.coefficient(rows.variable)) is not None and not step.terms
                if again and (buffer.count.value is None or buffer.count.value > PANEL):
                    out.append((rows, columns))
                    break
    return out


def hinders_tiles(body: list[Statement]) -> bool:
    """Returns true if a product that needs tiles shares its loops with more than what one element needs."""
    return any(len(rows.body) > 1 or sum(isinstance(s, Loop) for s in columns.body) > 1 for rows, columns in tiled(body))


def split_place(place: Polynomial, outer: set[Variable]) -> tuple[Polynomial, Polynomial] | None:
    """Returns the part of a place that loops outside decide, and the rest; None if they are entangled."""
    first, rest = {}, {}
    for m, c in place.terms.items():
        seen = Polynomial({m: 1}).variables()
        if seen and seen <= outer:
            first[m] = c
        elif seen & outer:
            return None
        else:
            rest[m] = c
    return Polynomial(first), Polynomial(rest)


def stays_within(places: list[Polynomial | None], v: Variable, outer: set[Variable]) -> bool:
    """Returns true if each iteration of loop v touches a part of the buffer that is its own."""
    stride = offset = None
    for p in places:
        if p is None:
            return False
        step = p.coefficient(v)
        if step is None or not step.terms or (stride is not None and step != stride):
            return False
        stride = step
        divided = split_place(p - _times(step, v), outer)
        if divided is None or (offset is not None and divided[0] != offset):
            return False
        offset = divided[0]
        if not is_within(divided[1], stride):
            return False
    return True


def _times(step: Polynomial, v: Variable) -> Polynomial:
    return step * Polynomial({(v,): 1})


def may_join(v: Variable, outer: set[Variable], a: Accesses, b: Accesses) -> bool:
    """Returns true if loops over v with these accesses, one after the other, may be one loop."""
    if a.sets & (b.uses | b.sets) or a.uses & b.sets:
        return False
    shared = {id(x): x for x, _ in a.writes if any(x is y for y, _ in b.reads + b.writes)}
    shared |= {id(x): x for x, _ in b.writes if any(x is y for y, _ in a.reads)}
    for x in shared.values():
        places = [p for y, p in a.reads + a.writes + b.reads + b.writes if y is x]
        if not stays_within(places, v, outer):
            return False
    return True


def hands_over(a: Accesses, b: Accesses) -> bool:
    written = {id(x) for x, _ in a.writes}
    return any(id(x) in written for x, _ in b.reads)


def join(first: list[Statement], second: list[Statement], outer: frozenset[Variable], top: bool) -> tuple[list[Statement], int]:
    """Returns the statements of both in one list, and how many iterations the outermost joined loops share. Loops are
    joined where one hands values to the other."""
    q = next((n for n, s in enumerate(second) if isinstance(s, Loop)), None)
    if q is not None:
        loop = second[q]
        assert isinstance(loop, Loop)
        ahead, mine = accesses(second[:q]), accesses(loop.body)
        for p in range(len(first) - 1, -1, -1):
            host = first[p]
            if isinstance(host, Loop) and host.variable is loop.variable:
                theirs = accesses(host.body)
                between = accesses(first[p + 1 :])
                wanted = hands_over(theirs, mine)
                if (wanted and not conflict(between, mine) and not conflict(between, ahead)
                        and not conflict(theirs, ahead) and may_join(loop.variable, set(outer), theirs, mine)):  # fmt: skip
                    body, score = join(host.body, loop.body, outer | {loop.variable}, False)
                    joined = Loop(loop.variable, body, host.carried or loop.carried)
                    out = first[:p] + second[:q] + [joined] + first[p + 1 :] + second[q + 1 :]
                    return out, estimate(loop.variable.extent) * max(score, 1)
                if wanted:
                    break
    return first + second, 0


def candidates(nest: Nest, prefix: list[Polynomial]) -> Iterator[list[Polynomial]]:
    """Yields structures of a nest that begin with loops of the prefix, the longest first."""
    dims = natural(nest)
    for k in range(len(prefix), 0, -1):
        want = product(prefix[:k])
        for j in range(1, len(dims) + 1):
            if product(dims[:j]) == want:
                rest = dims[j:]
                yield list(prefix[:k]) + rest
                if len(rest) > 1:
                    short = merged(rest, lambda index, k=k: nest.build(_beside(prefix[:k], index, nest), k + len(index)), k)
                    if len(short) < len(rest):
                        yield list(prefix[:k]) + short
                break


def _beside(prefix: list[Polynomial], index: list[Polynomial], nest: Nest) -> list[Polynomial]:
    from .index import of, variable

    return spread([of(variable(n, e)) for n, e in enumerate(prefix)] + index, nest.dims)


def attempt(nest: Nest, structure: list[Polynomial]) -> list[Statement] | None:
    try:
        body = build(nest, structure)
    except ValueError:
        return None
    return body if quotients(body) <= quotients(build(nest, natural(nest))) else None


def fuse(group: Group, nest: Nest) -> Group | None:
    """Returns the group with the nest in it, or None if no loops can be joined."""
    best: tuple[tuple[int, int], Group] | None = None

    def consider(members: list[tuple[Nest, list[Polynomial]]], body: list[Statement], structure: list[Polynomial]) -> None:
        nonlocal best
        added = attempt(nest, structure)
        if added is None:
            return
        out, score = join(body, added, frozenset(), True)
        if not score:
            return
        if too_much(body, added, out):
            return
        if hinders_tiles(out):
            return
        rank = (score, -sum(isinstance(s, Loop) for s in walk(out)))
        if best is None or rank > best[0]:
            best = (rank, Group([*members, (nest, structure)], out, accesses(out)))

    tried: set[tuple[Polynomial, ...]] = set()
    for _, structure in reversed(group.members):
        for mine in candidates(nest, structure):
            if tuple(mine) not in tried:
                tried.add(tuple(mine))
                consider(group.members, group.body, mine)
    if len(group.members) > REBUILT or (best is not None and best[0][0] >= estimate(product(natural(nest)))):
        return best[1] if best else None
    prefixes = {tuple(mine[:k]) for mine in (natural(nest), flat(nest)) for k in range(len(mine), 0, -1)}
    for prefix in sorted(prefixes, key=lambda p: (-estimate(product(p)), len(p))):
        made = rebuilt(group, list(prefix))
        if made is not None:
            for structure in candidates(nest, list(prefix)):
                consider(made.members, made.body, structure)
    return best[1] if best else None


def rebuilt(group: Group, prefix: list[Polynomial]) -> Group | None:
    """Returns the group with other outer loops, or None if not all of it can run in them."""
    members: list[tuple[Nest, list[Polynomial]]] = []
    body: list[Statement] = []
    for member, _ in group.members:
        chosen = next((s for s in candidates(member, prefix) if s[: len(prefix)] == prefix), None)
        added = attempt(member, chosen) if chosen else None
        if chosen is None or added is None:
            return None
        body, score = join(body, added, frozenset(), True)
        if members and not score:
            return None
        members.append((member, chosen))
    return Group(members, body, Accesses())


def schedule(nests: list[Nest]) -> list[Statement]:
    """Returns the statements of all nests, joined where that is legal and useful."""
    groups: list[Group] = []
    for nest in nests:
        structure = flat(nest) if nest.fusable else natural(nest)
        body = build(nest, structure)
        mine = accesses(body)
        needed = [n for n, g in enumerate(groups) if conflict(g.touched, mine)]
        placed = False
        for p in reversed(needed) if nest.fusable else ():
            moved = [n for n in needed if n > p]
            stay = [n for n in range(p, len(groups)) if n not in moved]
            if any(conflict(groups[s].touched, groups[m].touched) for m in moved for s in stay if s < m):
                continue
            if not hands_over(groups[p].touched, mine) or not all(m.fusable for m, _ in groups[p].members):
                continue
            joined = fuse(groups[p], nest)
            if joined is not None:
                rest = [groups[n] for n in stay if n != p]
                groups = groups[:p] + [groups[n] for n in moved] + [joined] + rest
                placed = True
                break
        if not placed:
            groups.append(Group([(nest, structure)], body, mine))
    return [s for g in joined_groups(groups) for s in g.body]


def too_much(first: list[Statement], second: list[Statement], out: list[Statement]) -> bool:
    """Returns true if joined products hand over more than a short row."""
    from .contract import local_size

    if not (is_heavy(first) and is_heavy(second)):
        return False
    read = {id(x) for x, _ in accesses(second).reads}
    handed = {id(x) for x, _ in accesses(first).writes if x.kind == "temporary" and id(x) in read}
    return any(s is None or s > HEAVY_ROW for s in (local_size(out, n) for n in handed))


def joined_groups(groups: list[Group]) -> list[Group]:
    """Joins groups whose loops already agree, such as two products that one element needs."""
    n = 0
    while n < len(groups):
        for m in range(n + 1, len(groups)):
            later, between = groups[m], groups[n + 1 : m]
            if not hands_over(groups[n].touched, later.touched):
                continue
            if any(conflict(groups[n].touched, g.touched) for g in between):
                continue  # the earlier group cannot move down to the later one
            if not all(x.fusable for x, _ in [*groups[n].members, *later.members]):
                continue
            out, score = join(groups[n].body, later.body, frozenset(), True)
            if score and not too_much(groups[n].body, later.body, out) and not hinders_tiles(out):
                made = Group([*groups[n].members, *later.members], out, accesses(out))
                groups = [*groups[:n], *between, made, *groups[m + 1 :]]
                n = -1
                break
        n += 1
    return groups


def live(nests: list[Nest], outputs: list[Buffer]) -> list[Nest]:
    """Returns the nests that an output depends on."""
    wanted = {id(b) for b in outputs}
    kept: list[Nest] = []
    for nest in reversed(nests):
        touched = accesses(build(nest, natural(nest)))
        if any(id(b) in wanted for b, _ in touched.writes):
            kept.append(nest)
            wanted |= {id(b) for b, _ in touched.reads}
    return kept[::-1]


def pruned(body: list[Statement]) -> list[Statement]:
    """Returns the statements without stores to temporaries that nothing reads, and scalars that nothing uses."""
    while True:
        touched = accesses(body)
        read = {id(b) for b, _ in touched.reads}
        used = needed_scalars(body)

        def keep(s: Statement, read: set[int] = read, used: set[str] = used) -> bool:
            if isinstance(s, Store):
                return s.buffer.kind != "temporary" or id(s.buffer) in read
            if isinstance(s, (Declare, Update)):
                return s.name in used
            return not isinstance(s, (Loop, If)) or bool(s.body)

        def strip(part: list[Statement]) -> list[Statement]:
            for s in part:
                if isinstance(s, (Loop, If)):
                    s.body = strip(s.body)
            return [s for s in part if keep(s)]

        before = sum(1 for _ in walk(body))
        body = strip(body)
        if sum(1 for _ in walk(body)) == before:
            return body


def needed_scalars(body: list[Statement]) -> set[str]:
    """Returns the scalars that anything but their own updates uses."""
    out: set[str] = set()
    for s in walk(body):
        roots = expressions(s) + (opaque_parts(s.place) if isinstance(s, Store) else [])
        if isinstance(s, Loop):
            roots = roots + opaque_parts(s.variable.extent)
        names = {x.data for x in parts(roots) if x.op == "local"}
        if isinstance(s, Text):
            names |= s.changes
        out |= names - ({s.name} if isinstance(s, Update) else set())
    return out
