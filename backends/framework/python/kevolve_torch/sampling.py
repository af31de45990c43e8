"""Inputs of a module without their memory: shapes from fake tensors, and the spread of their values from small ones."""

from kevolve_torch import loading

SAMPLE_BYTES = 1 << 28  # inputs up to here are made as they are
LEAST_EXTENT = 16
PROBED = 16
SMALLEST = 20  # times the budget: extents of 2 tell little, and are for calls that cost more


def fake_inputs(torch, user, given, kind, path, mode):
    """Returns the arguments of a call, tensors without memory. Falls back to real ones where the file needs values."""
    try:
        with mode:
            return loading.made_inputs(torch, user, given.input, kind, path)
    except loading.Refused as e:
        if e.kind != "raised":
            raise
    made = loading.made_inputs(torch, user, given.input, kind, path)
    return [mode.from_tensor(x) if isinstance(x, torch.Tensor) else x for x in made]


def bytes_of(torch, values):
    return sum(x.numel() * x.element_size() for x in values if isinstance(x, torch.Tensor))


def sampled_inputs(torch, user, given, kind, path, fake):
    """Returns inputs whose values are spread as those of get_inputs(); large ones are made with smaller numbers in the
    file's globals. Returns None if that fails."""
    if given.input or bytes_of(torch, fake) <= SAMPLE_BYTES:
        return loading.made_inputs(torch, user, given.input, kind, path) if not given.input else None
    scope = vars(user)
    names = [n for n, v in scope.items() if not n.startswith("_") and shrinks(v)]
    before = {n: scope[n] for n in names}
    try:
        while bytes_of(torch, fake) > SAMPLE_BYTES:
            largest = max(extent_of(scope[n]) for n in names)
            if largest <= LEAST_EXTENT:
                return None
            for n in names:  # equal numbers stay equal
                scope[n] = smaller(scope[n], largest)
            from torch._subclasses.fake_tensor import FakeTensorMode

            with FakeTensorMode():
                fake = user.get_inputs()
        return list(user.get_inputs())
    except Exception:  # noqa: BLE001 - the file may need its own numbers
        return None
    finally:
        scope.update(before)


def is_number(v):
    return isinstance(v, int) and not isinstance(v, bool) and v > LEAST_EXTENT


def shrinks(v):
    return is_number(v) or (isinstance(v, tuple) and any(is_number(x) for x in v))


def extent_of(v):
    return v if isinstance(v, int) else max(x for x in v if isinstance(x, int))


def smaller(v, largest):
    if isinstance(v, tuple):
        return tuple(smaller(x, largest) if is_number(x) else x for x in v)
    return max(LEAST_EXTENT, v // 4) if v == largest else v


def reduced(whole, movable, tables, tried, budget, deadline, clock):
    """Returns shapes for a call that costs little, its operations, and the groups of dimensions that were cut. Extents that the outputs have, too, are cut first; those
    over which the call sums only where that is not enough. `tried(shapes)` returns (operations, output shapes), or None."""
    shapes, first = dict(whole), tried(whole)
    if first is None:
        return shapes, budget, []
    operations, outputs = first
    if operations <= budget:
        return shapes, operations, []
    kept, summed, done = [], [], []
    for group in dimension_groups({n: whole[n] for n in movable}):
        if any(whole[n][d] in tables for n, d in group):
            continue  # indices reach up to there
        if clock() > deadline:
            break
        extent = max(whole[n][d] for n, d in group)
        got = tried(cut(whole, group, PROBED if extent > PROBED else 2))  # a window may need more than 2
        if got is None or [len(x) for x in got[1]] != [len(x) for x in outputs]:
            continue
        (kept if got[1] != outputs else summed).append(group)
    for some in (kept, summed):
        for extent in (64, 16, 2):
            for group in some:
                if operations <= (budget if extent > 2 else SMALLEST * budget) or clock() > deadline:
                    break
                smaller_shapes = cut(shapes, group, extent)
                got = tried(smaller_shapes) if smaller_shapes != shapes else None
                if got is not None and got[0] < operations:
                    shapes, operations = smaller_shapes, got[0]
                    if group not in done:
                        done.append(group)
    return shapes, operations, done


def dimension_groups(shapes):
    """Returns lists of (name, dimension) that may be cut together: one alone, then those of equal extent in several."""
    out = []
    places = [(n, d) for n, s in shapes.items() for d in range(len(s))]
    for n, d in places:
        out.append([(n, d)])
    for n, d in places:
        same = [(m, e) for m, e in places if e == d and shapes[m][e] == shapes[n][d]]
        equal = [(m, e) for m, e in places if shapes[m][e] == shapes[n][d]]
        for group in (same, equal):
            if len(group) > 1 and group not in out:
                out.append(group)
    return out


def cut(shapes, group, extent):
    out = dict(shapes)
    for n, d in group:
        s = list(out[n])
        s[d] = min(s[d], extent)
        out[n] = tuple(s)
    return out


def doubled(shapes, whole, group):
    """Returns the shapes with the extents of the group twice as large, as far as the whole call has them."""
    out = dict(shapes)
    for n, d in group:
        s = list(out[n])
        s[d] = min(2 * s[d], whole[n][d])
        out[n] = tuple(s)
    return out
