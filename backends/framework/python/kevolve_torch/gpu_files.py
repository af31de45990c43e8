"""Writes the files of a GPU task: its TOML beside the reference that was composed."""

import os

from kevolve_torch import composing, gpu_measuring, measuring, weights
from kevolve_torch.refusal import Refused
from kevolve_torch.task_file import extent, table, toml


def reference_name(given):
    return f"{given.name}_reference.py"


def write(given, name, text):
    with open(os.path.join(given.into, name), "w", encoding="utf-8") as out:
        out.write(text)


def files_of(torch, given, entry, kind, call, arguments, measured, work, notes, places, fake, own):
    """Writes the task; returns the document of what was inferred."""
    source = os.path.basename(given.file)
    rules = [*gpu_measuring.rules(measured),
             "inputs: drawn as the values of get_inputs() are spread; indices up to the extent of their table",
             "weights: drawn as the module's initial values are spread, constant ones (a norm's ones and zeros) away from them",
             "edge draws: those of zeros, large and cancellation on which eager and fp64 stay finite"
             + ("" if given.strict_fp32 else "; large only where TF32 keeps its tolerance, too"),
             "work: torch's flop counter, one operation an element elsewhere; each array once"]
    own_file, told = weights.written(own, measured["finite"], given) if own else (None, [])
    if not own and any(a.role == "weight" for a in arguments):
        told = ["own weights: more than the 8 MiB that travel with a task; all sets draw them"]
    rules += told
    sizes = {symbol: int(fake[i].shape[d]) for (i, d), symbol in places.items()}
    head = f"# Made from {source} by kevolve new. Edit it as you like; `kevolve task check` reads it.\n"
    parts = [head + "".join(f"# {r}\n" for r in rules + notes)]
    parts.append(table("[task]", [("name", given.name), ("family", given.name), ("summary", f"{entry} of {source}")]))
    parts.append(table("[module]", [("file", source), ("entry", entry), ("kind", kind),
                                    ("training", True if given.train else None), ("weights", own_file)]))
    shown = []
    for a in arguments:
        rows = [("name", a.name), ("role", a.role)]
        if a.role == "size":
            rows.append(("minimum", 2))  # torch.export traces other sizes apart
        else:
            rows += [("dtype", a.dtype), ("shape", [extent(n) for n in a.shape]), ("fill", a.fill), ("edge", a.edge or None),
                     ("nonfinite", "match" if a.nonfinite else None), ("origin", a.origin)]
        parts.append(table("[[argument]]", rows))
        shown.append({"name": a.name, "role": a.role, "dtype": a.dtype, "shape": a.shape, "origin": a.origin,
                      "fill": toml(a.fill) if a.fill else "", "why": a.why, "edge": a.edge})
    parts.append(table("[[shape]]", list(sizes.items())))
    for text in given.shape:
        parts.append(table("[[shape]]", list(named_sizes(text, sizes).items())))
    if sizes:
        parts.append(table("[[shape]]", [("held_out", True), *((n, max(2, v // 2 + 1)) for n, v in sizes.items())]))
    parts.append(table("[reference]", [("language", "pytorch"), ("file", reference_name(given)), ("entry", composing.ENTRY)]))
    tolerances = []
    for a, m in zip((a for a in arguments if a.role == "output"), measured["outputs"]):
        t = measuring.tolerance_of(a.dtype, m["beyond"], m["median"])
        if t is None:
            continue
        with_tf32 = "" if given.strict_fp32 else f", with TF32 {m['tf32']:.2g}"
        parts.append(f"# Largest error against fp64: eager {m['error']:.2g}{with_tf32}; median |value| "
                     f"{m['median']:.2g}.\n" + table("[[tolerance]]", [("argument", a.name), *t.items()]))
        tolerances.append({"argument": a.name, **t, "error": m["error"], "tf32": m["tf32"], "median": m["median"]})
    if work[1]:
        parts.append(table("[work]", [("flops", work[0] if work[0] not in ("", "0") else None), ("bytes", work[1])]))
    parts.append(table("[timing]", [("cache", "cold"), ("tf32", use_of_tf32(given, arguments, measured))]))
    write(given, f"{given.name}.task.toml", "\n".join(parts))
    return {"arguments": shown, "sizes": sizes, "tolerances": tolerances, "work": {"flops": work[0], "bytes": work[1]},
            "rules": rules + notes, "files": [f"{given.name}.task.toml", reference_name(given)] + ([own_file] if own_file else []), "module": source,
            "strict_fp32": given.strict_fp32}


def use_of_tf32(given, arguments, measured):
    """Returns what the reference and all baselines may use: what the tolerance admits. None: there are no products of f32."""
    if given.strict_fp32:
        return False
    narrow = any(a.dtype == "f32" for a in arguments if a.role in ("input", "weight"))
    return True if narrow and any(m["products"] for m in measured["outputs"]) else None


def named_sizes(text, sizes):
    """Reads "rows=4096,cols=64": a value for every size."""
    out = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        if name.strip() not in sizes or not value.strip().isdigit() or int(value) < 2:
            raise Refused("shape", f"--shape {text}: expected NAME=NUMBER for each of {', '.join(sizes) or 'no sizes'}", 0,
                          "make a dimension a size by --dynamic x:0=rows" if not sizes else "such as --shape "
                          + ",".join(f"{n}={2 * v}" for n, v in sizes.items()))
        out[name.strip()] = int(value)
    if len(out) != len(sizes):
        raise Refused("shape", f"--shape {text}: no value for {', '.join(n for n in sizes if n not in out)}", 0,
                      "name every size")
    return out
