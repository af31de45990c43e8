"""Measures a reference on the CPU at a size that the CPU can run: errors against double precision, with the products in
float32 and in TF32, edge draws, and outputs that do not vary."""

import importlib.util
import math
import os
import sys

from kevolve_torch import degenerate, filling, measuring, sampling
from kevolve_torch.composing import ENTRY
from kevolve_torch.loading import guarded
from kevolve_torch.refusal import Refused

BUDGET = 1e8  # operations of a call that is measured
MOST = 1.5e11  # operations beyond which nothing is measured
LARGE = 1 << 24  # elements of a weight that is drawn once
DRAWS = 3
EDGES = ("zeros", "large", "cancellation")
SECONDS = 20.0  # for finding a size
EAGER_FACTOR = 8.0
TF32_FACTORS = (4.0, 2.0)  # the smaller one where the larger would accept an answer that took no work
LEAST_OF_LARGEST = 1.5e-4  # times the factor: tensor cores also add less exactly than they are emulated
LEAST_OF_MEDIAN = 1e-5  # sums on a GPU are off by more than on a CPU
NARROWER = 0.1
REDUCED = "measured on the CPU at {shapes}"


def rules(measured):
    factor = measured["factor"]
    if measured["strict"]:
        return [f"tolerance: relative by the output's dtype; with absolute it admits {EAGER_FACTOR:g} times the error of eager "
                f"against fp64; absolute is at least {LEAST_OF_MEDIAN:g} of the median |value|",
                "strict fp32: the tolerance does not admit TF32, and neither the reference nor a baseline uses it", *measured["notes"]]
    out = [f"tolerance: relative by the output's dtype; with absolute it admits {EAGER_FACTOR:g} times the error of eager, and "
           f"{factor:g} times that of eager with TF32 products, against fp64; absolute is at least {LEAST_OF_MEDIAN:g} of the "
           f"median |value|, and with TF32 products {factor * LEAST_OF_LARGEST:g} of the largest",
           "TF32 error: that of products whose float32 inputs are cut to 10 bits of mantissa, as tensor cores do"]
    return out + measured["notes"]


def loaded(given):
    path = os.path.join(given.into, f"{given.name}_reference.py")
    spec = importlib.util.spec_from_file_location("kevolve_composed", path)
    module = sys.modules["kevolve_composed"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, ENTRY)


def measure(torch, user, arguments, fake, mode, given, clock, known, own, reference=None):
    """Returns errors by output, notes, and the shapes of the calls. `known`: the operations, where a call without memory takes
    long. `own`: the module's own weights, which one more draw has. `reference`: what is called; None: what was composed."""
    from kevolve_torch.counting import ELEMENT, Counted, Tf32

    call = reference or guarded("the reference", given.file, loaded, given)
    read = [a for a in arguments if a.role in ("input", "weight")]
    dtypes = {a.name: getattr(torch, next(k for k, v in filling.DTYPE_NAMES.items() if v == a.dtype)) for a in read}
    whole = {a.name: shape_of(a, fake) for a in read}
    movable = [a.name for a in read if a.role == "input"]

    def tried(shapes):
        """Returns the operations and the outputs' shapes of a call on tensors without memory; None if it fails."""
        counted = Counted()
        try:
            with mode, torch.no_grad(), counted:
                out = call(**{n: torch.empty(s, dtype=dtypes[n]) for n, s in shapes.items()})
        except Exception:  # noqa: BLE001 - a shape that the module does not take
            return None
        operations = counted.operations + ELEMENT * sum(math.prod(s) for s in shapes.values())
        return operations, [tuple(x.shape) for x in out]

    tables = {int(a.fill["high"]) + 1 for a in read if a.role == "input" and a.fill["distribution"] == "integer"}
    shapes, operations, groups = (whole, known, []) if known is not None else sampling.reduced(whole, movable, tables, tried, BUDGET, clock() + SECONDS, clock)
    notes = []
    if shapes != whole:
        notes.append(REDUCED.format(shapes=", ".join(f"{n} {list(shapes[n])}" for n in movable)))
    if operations > MOST:
        raise Refused("size", f"takes {operations:.2g} operations even at the smallest size that it accepts", 0,
                      "make get_inputs() smaller")
    draws = DRAWS if operations <= 10 * BUDGET else 1
    generator = torch.Generator()

    kept = {}  # large weights, drawn once

    def drawn(seed, edge=None, only=None, of=shapes):
        generator.manual_seed(seed)
        out = {}
        for a in read:
            if a.role == "weight" and math.prod(of[a.name]) > LARGE:
                if a.name not in kept:
                    kept[a.name] = filling.drawn(torch, a.fill, of[a.name], dtypes[a.name], generator)
                out[a.name] = kept[a.name]
                continue
            x = filling.drawn(torch, a.fill, of[a.name], dtypes[a.name], generator)
            out[a.name] = filling.edge_value(torch, edge, x, a.dtype, generator) if edge and a.name == only else x
        return out

    def run(values):
        with torch.no_grad():
            return call(**values)

    def exact(values):
        wide = {n: x.double() if x.dtype.is_floating_point else x for n, x in values.items()}
        return run(wide)

    def cut(values):
        """Returns the results with products in TF32, and how many there were."""
        products = Tf32()
        with products:
            out = run(values)
        return out, products.products

    def rounded(values):
        """The same; the results of eager if TF32 is not admitted."""
        return (run(values), 0) if given.strict_fp32 else cut(values)

    outs = [a for a in arguments if a.role == "output"]
    finite = {"own": True}

    def errors(factor):
        """Runs the draws. Returns what was found for each output, and the exact results of every draw with its inputs."""
        found = [{"error": 0.0, "tf32": 0.0, "median": 0.0, "beyond": 0.0, "products": False} for _ in outs]
        seen = []
        for seed in range(1, draws + (2 if own else 1)):
            values = drawn(seed)
            if seed > draws:
                values.update({a.name: a.own.reshape(shapes[a.name]) for a in read if a.own is not None})
            eager = guarded("forward()", given.file, run, values)
            wide = exact(values)
            tensor_cores, products = rounded(values)
            if seed > draws:
                finite["own"] = all(bool(torch.isfinite(w.double()).all()) or a.nonfinite for a, w in zip(outs, wide))
                if not finite["own"]:
                    break  # a judge would refuse the task
            else:
                seen.append((values, wide))
            for a, f, e, w, t in zip(outs, found, eager, wide, tensor_cores):
                size = w.double().abs()
                f["median"] = max(f["median"], float(size.median()) if size.numel() else 0.0)
                f["error"] = max(f["error"], finite_error(torch, e, w))
                f["tf32"] = max(f["tf32"], finite_error(torch, t, w))
                f["products"] = f["products"] or products > 0
                f["beyond"] = max(f["beyond"], excess(torch, e, w, a.dtype, EAGER_FACTOR),
                                  excess(torch, t, w, a.dtype, factor),
                                  0.0 if a.dtype == "f64" else LEAST_OF_MEDIAN * f["median"])
                if products and w.numel():
                    f["beyond"] = max(f["beyond"], factor * LEAST_OF_LARGEST * finite_size(torch, w))
                a.nonfinite = a.nonfinite or not bool(torch.isfinite(w.double()).all())
        return found, seen

    def tried_factors():
        for factor in TF32_FACTORS[:1] if given.strict_fp32 else TF32_FACTORS:
            found, seen = errors(factor)
            why = degenerate.first(torch, outs, found, seen)
            if not why:
                break
        return factor, found, why

    factor, found, why = tried_factors()
    if why.startswith(degenerate.SMALLER_HALF) and not own and reference is None:
        # A few huge results, as exponentials of long sums give: the tolerance of the largest hides the others.
        wide = [(a, a.fill) for a in read if a.role == "weight" and around_zero(a.fill)]
        for a, fill in wide:
            a.fill = narrower(fill)
        kept.clear()
        again = tried_factors() if wide else (factor, found, why)
        if not again[2]:
            notes.append(f"weights drawn with {NARROWER:g} of the module's spread: with all of it {why}")
            factor, found, why = again
        else:
            for a, fill in wide:
                a.fill = fill
            kept.clear()
    changed = [a for a in read if a.role == "input" and a.dtype in measuring.RELATIVE and a.fill != degenerate.NORMAL]
    if why and changed:
        for a in changed:
            a.fill, a.why = dict(degenerate.NORMAL), f"get_inputs()'s values are too plain: {why}"
        notes.append(f"inputs drawn normal, not as get_inputs() draws them: with its values {why}")
        before, (factor, found, why) = why, tried_factors()
        if why and why != before:
            why = f"{before}; drawn normal, {why}"
    if why:
        raise Refused("constant", f"{why}, whatever the inputs: that would pass as a kernel", line_of_forward(user),
                      "change the module or its inputs so that every output depends on them")
    if draws == DRAWS:
        for a in read:
            if a.role == "input" and a.dtype in measuring.RELATIVE:
                a.edge = [e for e in EDGES if stays_finite(torch, run, exact, drawn(7, e, a.name))
                          and (e != "large" or admits_large(torch, cut, exact, drawn(7, e, a.name), outs))]
    for group in groups if draws == DRAWS else []:
        notes += extrapolate(torch, group, shapes, whole, tried, run, drawn, outs, found)
    return {"outputs": found, "notes": notes, "draws": draws, "factor": factor, "strict": given.strict_fp32, "finite": finite["own"],
            "shapes": shapes}


def around_zero(fill):
    """Returns true for values on both sides of zero, as the weights of products have."""
    if fill["distribution"] == "normal":
        return abs(fill["mean"]) < fill["std"]
    return fill["distribution"] == "uniform" and fill["low"] < 0.0 < fill["high"]


def narrower(fill):
    return {k: v if k == "distribution" else filling.rounded(NARROWER * v) for k, v in fill.items()}


def extrapolate(torch, group, shapes, whole, tried, run, drawn, outs, found):
    """Where results grow or shrink with an extent that was cut, as those of a softmax do, carries what was found to the whole
    extent: by the power of it that one more call, with the extent doubled, shows. Returns notes."""
    larger = sampling.doubled(shapes, whole, group)
    n, d = group[0]
    if larger[n][d] == shapes[n][d] or tried(larger) is None:
        return []
    pairs = [[run(drawn(seed, of=s)) for s in (shapes, larger)] for seed in (1, 2)]
    notes = []
    for i, (a, f) in enumerate(zip(outs, found)):
        powers = {power_between(torch, first[i], second[i], larger[n][d] / shapes[n][d]) for first, second in pairs}
        if a.dtype not in measuring.RELATIVE or len(powers) != 1:
            continue  # two draws that differ are chance
        power = powers.pop()
        if power != 0.0:
            factor = (whole[n][d] / shapes[n][d]) ** power
            for key in ("error", "tf32", "median", "beyond"):
                f[key] *= factor
            notes.append(f"'{a.name}' goes with extent {d} of '{n}' to the power {power:g}: carried from {shapes[n][d]} to {whole[n][d]}")
    return notes


def power_between(torch, before, after, ratio):
    """Returns the power of an extent with which the mean |value| goes, in halves; beyond -1 and 1 it is none."""
    x, y = (float(v.double().abs().mean()) for v in (before, after))
    if not (0.0 < x < math.inf and 0.0 < y < math.inf):
        return 0.0
    power = round(2.0 * math.log(y / x) / math.log(ratio)) / 2.0
    return power if abs(power) <= 1.0 else 0.0


def shape_of(a, fake):
    if a.origin.startswith("input "):
        return tuple(fake[int(a.origin.split()[1])].shape) or (1,)
    return tuple(int(n) for n in a.shape)


def line_of_forward(user):
    for v in vars(user).values():
        forward = getattr(v, "forward", None)
        if isinstance(v, type) and v.__module__ == user.__name__ and hasattr(forward, "__code__"):
            return forward.__code__.co_firstlineno
    return 0


def stays_finite(torch, run, exact, values):
    try:
        results = [*run(values), *exact(values)]
    except Exception:  # noqa: BLE001 - such as an index that is out of range
        return False
    return all(bool(torch.isfinite(r.double()).all()) for r in results)


def admits_large(torch, cut, exact, values, outs):
    """With huge values the judge's tolerance is relative to the largest result: products in TF32 may miss it. So may those of
    a GPU in f32: their long sums are less exact than a processor's (3.5e-5 of the largest was seen over 8192 terms).
    """
    rough, _ = cut(values)
    return all(finite_error(torch, t, w) <= 0.5 * measuring.RELATIVE[a.dtype] * finite_size(torch, w)
               for a, t, w in zip(outs, rough, exact(values)) if a.dtype in measuring.RELATIVE)


def finite_size(torch, x):
    size = x.double().abs()
    return float(torch.where(torch.isfinite(size), size, torch.zeros_like(size)).max())


def finite_error(torch, got, exact):
    got, exact = got.double().reshape(-1), exact.double().reshape(-1)
    difference = (got - exact).abs()
    difference = torch.where(torch.isfinite(difference), difference, torch.zeros_like(difference))
    return float(difference.max()) if difference.numel() else 0.0


def excess(torch, got, exact, dtype, factor):
    """Returns the largest part of a multiple of the difference that the relative tolerance does not admit."""
    relative = measuring.RELATIVE.get(dtype)
    if relative is None or not exact.numel():
        return 0.0
    got, exact = got.double().reshape(-1), exact.double().reshape(-1)
    rest = factor * (got - exact).abs() - relative * exact.abs()
    return max(0.0, float(torch.where(torch.isfinite(rest), rest, torch.zeros_like(rest)).max()))
