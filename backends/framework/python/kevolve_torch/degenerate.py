"""Answers that need no work: a task that accepts one of them tells nothing of a kernel. The judge refuses such tasks, too."""

from kevolve_torch import measuring

SMALLER_HALF = "zeros in place of the smaller half"
NORMAL = {"distribution": "normal", "mean": 0.0, "std": 1.0}


def first(torch, outputs, found, seen):
    """Returns what is accepted in every draw as an output, "" if nothing is. `seen` holds (inputs, exact results)."""
    for i, (a, f) in enumerate(zip(outputs, found)):
        tolerance = measuring.tolerance_of(a.dtype, f["beyond"], f["median"]) or {"relative": 0.0, "absolute": 0.0}
        for name, answer in answers(torch, seen, i):
            if all(accepted(torch, x, results[i], tolerance) for x, (_, results) in zip(answer, seen)):
                return f"{name} is accepted as output '{a.name}'"
    return ""


def answers(torch, seen, i):
    """Yields (name, one answer a draw) of the submissions that fit the output."""
    results = [results[i].double() for _, results in seen]
    yield "zeros", [torch.zeros_like(r) for r in results]
    if results[0].numel() >= 4:
        yield "one constant", [torch.full_like(r, float(r.median())) for r in results]
        if all(bool((small(r) & (r != 0)).any()) for r in results):
            yield SMALLER_HALF, [torch.where(small(r), torch.zeros_like(r), r) for r in results]
    if len(results) > 1:
        yield "the previous answer", [results[n - 1] for n in range(len(results))]
    for name, x in seen[0][0].items():
        if x.numel() == results[0].numel():
            yield f"a copy of '{name}'", [values[name].double() for values, _ in seen]


def small(r):
    nonzero = r.abs()[r != 0]
    return r.abs() < (nonzero.median() if nonzero.numel() else 0.0)


def accepted(torch, answer, exact, tolerance):
    exact = exact.double().reshape(-1)
    difference = (answer.reshape(-1) - exact).abs()
    limit = tolerance["absolute"] + tolerance["relative"] * exact.abs()
    return bool(((difference <= limit) | ~torch.isfinite(exact)).all())
