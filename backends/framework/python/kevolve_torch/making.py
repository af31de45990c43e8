"""From a module and its inputs to the files of a task: facts by measurement, the reference by lowering, and both checked."""

import json
import os

from kevolve_torch import filling, measuring, tracing, weights
from kevolve_torch.refusal import Refused, first_line, line_of
from kevolve_torch.task_file import extent, table, toml

DRAWS = 3
EDGE_DRAWS = {"zeros": 1, "large": 7, "cancellation": 2}
EDGE_SHARE = 3.0  # of the tolerance, by excess(), which counts errors eightfold
EDGES = ("zeros", "large", "cancellation")


class Facts:
    """The facts of one traced call: its graph, its arguments and their values."""

    def __init__(self, torch, program, inputs, module):
        self.torch, self.program = torch, program
        kinds = torch.export.graph_signature.InputKind
        self.values, self.origins, self.names = [], [], []
        self.held = {}  # paths of plain attributes by the origins of the constants that they hold
        state, numbers = program.state_dict, {"input": 0, "constant": 0}
        for spec in program.graph_signature.input_specs:
            if spec.kind == kinds.USER_INPUT:
                self.values.append(inputs[numbers["input"]])
                self.origins.append(f"input {numbers['input']}")
                numbers["input"] += 1
            elif spec.kind in (kinds.PARAMETER, kinds.BUFFER):
                held = state if spec.target in state else program.constants
                self.values.append(held[spec.target].detach())
                self.origins.append(("parameter " if spec.kind == kinds.PARAMETER else "buffer ") + spec.target)
            else:
                self.values.append(program.constants[spec.target])
                self.origins.append(f"constant {numbers['constant']}")
                if self.is_attribute(module, spec.target):
                    self.held[self.origins[-1]] = spec.target
                numbers["constant"] += 1
            self.names.append(spec.arg.name)

    def is_attribute(self, module, path):
        for name in path.split("."):
            module = getattr(module, name, None)
        return isinstance(module, self.torch.Tensor)

    def written(self, origin):
        """Returns an origin as task files have it: a constant's is followed by the attribute that holds it."""
        return f"{origin} {self.held[origin]}" if origin in self.held else origin

    def fills(self):
        """Returns {origin: (fill, reason)}."""
        highest = filling.index_fills(self.program)
        out = {}
        for name, origin, value in zip(self.names, self.origins, self.values):
            if not isinstance(value, self.torch.Tensor):
                continue
            fill, why = filling.measured_fill(self.torch, value, not origin.startswith("input"))
            if name in highest and fill["distribution"] == "integer":
                fill, why = {"distribution": "integer", "low": 0, "high": highest[name]}, "an index of a table"
            out[origin] = (fill, why)
        return out

    def own(self, arguments):
        """Returns the values of the module's own weights among the arguments, by their tensors' names."""
        values = dict(zip(self.origins, self.values))
        named = {a.origin: weights.tensor_name(self.written(a.origin)) for a in arguments if a.role == "weight"}
        return {name: values[origin] for origin, name in named.items() if name and filling.dtype_name(values[origin].dtype)}

    def drawn(self, fills, seed, edge=None, only=(), variant=1, own=()):
        """Returns the values of all placeholders, drawn anew; those of tensors that `own` names are the module's."""
        generator = self.torch.Generator().manual_seed(seed)
        out = []
        for origin, value in zip(self.origins, self.values):
            if origin not in fills or weights.tensor_name(self.written(origin)) in own:
                out.append(value)
                continue
            x = filling.drawn(self.torch, fills[origin][0], value.shape, value.dtype, generator)
            if edge and origin in only:
                x = filling.edge_value(self.torch, edge, x, filling.dtype_name(x.dtype), generator, variant)
            out.append(x)
        return out


def task_of(torch, module, inputs, names, entry, kind, given):
    path = given.file
    shapes, places = tracing.dynamic_shapes(torch, given.dynamic, names, inputs)
    with torch.no_grad():
        program = tracing.exported(torch, module, inputs, shapes, path)
    plain = program.run_decompositions({})  # functional, so that changed inputs are known
    tracing.check_graph(torch, plain, path, given.train)
    from kevolve_torch import lowering

    core = program.run_decompositions()
    work = measuring.work_of(torch, core, [(n.name, n.meta["val"]) for n in core.graph.nodes if n.op == "placeholder"
                                           and isinstance(n.meta.get("val"), torch.Tensor) and n.users]
                             + outputs_meta(torch, core))
    facts = Facts(torch, plain, inputs, module)
    fills = facts.fills()
    # Arrays and work beyond a bound are checked with a smaller first extent.
    probe, note = facts, ""
    large = tracing.bytes_of(torch, facts.values) > tracing.PROBE_BYTES or number(work[0]) > tracing.PROBE_FLOPS
    if large and not places:
        small = tracing.smaller(torch, inputs)
        if small is not None:
            try:
                again = tracing.exported(torch, module, small, None, path)
                probe = Facts(torch, again.run_decompositions({}), small, module)
                program_checked = again
                note = "measured and compared with a first extent of 2: the whole call is large"
            except Refused:
                probe = facts
    checked = program_checked if probe is not facts else program
    lowered, c_probe = lowered_text(torch, program, checked, given, lowering)
    lowered, c_probe, work = renamed(torch, program, lowered, c_probe, work, places)
    measured = measure(torch, probe, fills, c_probe, module, given, places)
    return files_of(torch, facts, fills, lowered, measured, work, note, inputs, places, entry, kind, given)


def outputs_meta(torch, program):
    result = next(n for n in program.graph.nodes if n.op == "output")
    return [(n.name + " out", n.meta["val"]) for n in result.all_input_nodes if isinstance(n.meta.get("val"), torch.Tensor)]


def number(text):
    try:
        return float(text)
    except ValueError:
        return 0.0


def lowered_text(torch, program, checked, given, lowering):
    """Returns the C function of the call, and that of the call that is compared."""
    try:
        whole = lowering.lower(program, given.name)
        return whole, whole if checked is program else lowering.lower(checked, given.name)
    except lowering.Unsupported as e:
        all_of = sorted({r.operator for r in e.refusals})
        raise Refused("operator", "has no lowering to C: " + "; ".join(f"{r.operator}: {r.detail}{at_layer(r)}" for r in e.refusals[:4]),
                      e.line if os.path.basename(e.file or "") == os.path.basename(given.file) else 0,
                      "write it with other operators, or use a GPU target", all_of) from e


def at_layer(refusal):
    return f" (in the layer '{refusal.layer}')" if refusal.layer else ""


def renamed(torch, program, whole, probe, work, places):
    """Gives size symbols the names of --dynamic, in the C text, the shapes and the work."""
    import re

    nodes = [n for n in program.graph.nodes if n.op == "placeholder"]
    kinds = torch.export.graph_signature.InputKind
    inputs = [s.arg.name for s in program.graph_signature.input_specs if s.kind == kinds.USER_INPUT]
    names = {}
    for (index, dim), symbol in places.items():
        node = next(n for n in nodes if n.name == inputs[index])
        names[str(node.meta["val"].shape[dim].node.expr)] = symbol
    for lowered in {id(whole): whole, id(probe): probe}.values():
        for old, new in names.items():
            word = re.compile(rf"\b{old}\b")
            lowered.text = word.sub(new, lowered.text)
            lowered.oracle = word.sub(new, lowered.oracle) if lowered.oracle else None
            for a in lowered.arguments:
                a.name = word.sub(new, a.name)
                a.shape = [word.sub(new, s) for s in a.shape]
    for old, new in names.items():
        work = tuple(re.sub(rf"\b{old}\b", new, w) for w in work)
    return whole, probe, work


def measure(torch, probe, fills, lowered, module, given, places):
    """Runs eager, fp64 and the C function on a few draws. Returns errors and medians by output, and edges by input."""
    from kevolve_torch.run_c import FLAGS, Compiled

    compiled = Compiled([lowered.text], folder=given.into, flags=tuple(f for f in FLAGS if f != "-O1") + ("-O2",))
    graph = probe.program.graph_module
    exact = measuring.double_interpreter(torch, graph)
    sizes = size_values(probe, lowered, places)
    outputs = [a for a in lowered.arguments if a.role == "output"]
    own = probe.own(lowered.arguments)
    own = own if weights.size_of(own.values()) <= weights.MOST_BYTES else {}
    finite = True
    error, median, differs = [0.0] * len(outputs), [0.0] * len(outputs), [0.0] * len(outputs)
    beyond = [0.0] * len(outputs)
    by_origin = {o: i for i, o in enumerate(probe.origins)}
    for seed in range(DRAWS + (1 if own else 0)):
        values = probe.drawn(fills, seed + 1, own=own if seed == DRAWS else ())
        with torch.no_grad():
            eager = measuring.outputs_of(torch, torch.fx.Interpreter(graph).run(*values))
            wide = measuring.outputs_of(torch, exact(*values))
        if seed == DRAWS:
            finite = all(bool(torch.isfinite(x.double()).all()) for x in (*eager, *wide))
            if not finite:
                break  # a judge would refuse the task
        called = compiled.call(lowered, [values[by_origin[a.origin]] for a in lowered.arguments
                                         if a.role in ("input", "weight")], [sizes[a.name] for a in lowered.arguments
                                                                             if a.role == "size"])
        for i, (c, e, w) in enumerate(zip(called, eager, wide)):
            if list(c.shape) != list(e.shape) and c.numel() != e.numel():
                raise Refused("mismatch", f"the C reference's output {i} has shape {list(c.shape)}, eager's {list(e.shape)}",
                              0, "report it with the file")
            c = c.reshape(e.shape)
            size = w.double().abs()
            median[i] = max(median[i], float(size.median()) if size.numel() else 0.0)
            error[i] = max(error[i], measuring.error_between(torch, e, w))
            differs[i] = max(differs[i], measuring.error_between(torch, c, w if e.dtype.is_floating_point else e))
            beyond[i] = max(beyond[i], *(measuring.excess(torch, x, w, filling.dtype_name(e.dtype)) for x in (c, e)))
            compare(torch, c, e, w, i, probe, given)
    allowed = [measuring.tolerance_of(a.dtype, b, m) for a, b, m in zip(outputs, beyond, median)]

    def keeps(values, results, wide, alike):
        """Tells whether eager and the C function stay well within the tolerance, which other draws may strain more. The
        judge's tolerance grows with the largest result, or, where all values are scaled alike, with the median."""
        called = compiled.call(lowered, [values[by_origin[a.origin]] for a in lowered.arguments if a.role in ("input", "weight")],
                               [sizes[a.name] for a in lowered.arguments if a.role == "size"])
        for c, e, w, t in zip(called, results, wide, allowed):
            if t is None or not w.numel():
                continue
            size = w.double().abs()
            size = size[size > 0]
            scale = max(1.0, float(size.median() if alike else size.max())) if size.numel() else 1.0
            for x in (c.reshape(w.shape), e):
                if measuring.excess(torch, x, w, filling.dtype_name(e.dtype)) > EDGE_SHARE * scale * t["absolute"]:
                    return False
        return True

    return {"error": error, "c_error": differs, "median": median, "beyond": beyond, "draws": DRAWS, "finite": finite,
            "edges": edges(torch, probe, fills, exact, graph, keeps)}


def size_values(probe, lowered, places):
    out = {}
    for (index, dim), symbol in places.items():
        out[symbol] = probe.values[probe.origins.index(f"input {index}")].shape[dim]
    return out


def compare(torch, c, eager, wide, i, probe, given):
    """Refuses a C reference that computes something else than eager."""
    dtype = filling.dtype_name(eager.dtype)
    if not eager.dtype.is_floating_point:
        wrong = int((c != eager).sum())
        allowed = eager.numel() // 100
    else:
        scale = float(wide.double().abs().max()) if wide.numel() else 0.0
        limit = max(64.0 * measuring.error_between(torch, eager, wide), 8.0 * measuring.RELATIVE[dtype] * scale)
        wrong, allowed = int(not measuring.error_between(torch, c, wide) <= limit), 0
    if wrong > allowed:
        node = next(n for n in probe.program.graph.nodes if n.op == "output").all_input_nodes[i]
        error = measuring.error_between(torch, c, wide)
        raise Refused("mismatch", f"the C reference differs from eager in output {i}, made by {node.target}, by {error:.3g}",
                      line_of(node, given.file), "report it with the file", [str(node.target)])


def edges(torch, probe, fills, exact, graph, keeps):
    """Returns {origin: [edge]}: the edge draws on which eager and fp64 are finite, and the tolerance is kept."""
    def good(edge, origins):
        for variant in range(EDGE_DRAWS[edge]):
            values = probe.drawn(fills, 7 + variant, edge, origins, variant)
            with torch.no_grad():
                results = measuring.outputs_of(torch, torch.fx.Interpreter(graph).run(*values))
                wide = measuring.outputs_of(torch, exact(*values))
            if not (all(bool(torch.isfinite(r.double()).all()) for r in results + wide) and keeps(values, results, wide, edge == "large" and variant > 2)):
                return False
        return True

    out = {}
    for edge in EDGES:
        kept = []  # the judge draws the edge for all of them at once
        for origin, value in zip(probe.origins, probe.values):
            if origin.startswith("input") and origin in fills and value.dtype.is_floating_point and good(edge, [*kept, origin]):
                kept.append(origin)
                out.setdefault(origin, []).append(edge)
    return out


def files_of(torch, facts, fills, lowered, measured, work, note, inputs, places, entry, kind, given):
    """Writes the task and its reference; returns the document of what was inferred."""
    name, source = given.name, os.path.basename(given.file)
    own, told = own_weights(facts, lowered, measured["finite"], given)
    rules = [measuring.TOLERANCE_RULE,
             "inputs: drawn as the values of get_inputs() are spread; indices up to the extent of their table",
             "weights: drawn as the module's values are spread, constant ones (a norm's ones and zeros) away from them",
             "edge draws: those of zeros, large and cancellation on which eager and fp64 stay finite, and the tolerance is kept",
             "work: torch's flop counter, one operation an element elsewhere; each array once", *told]
    if note:
        rules.append(note)
    constants = [f"input {i}: {x!r} is a constant of the reference" for i, x in enumerate(inputs)
                 if not isinstance(x, torch.Tensor)]
    head = f"# Made from {source} by kevolve new. Edit it as you like; `kevolve task check` reads it.\n"
    parts = [head + "".join(f"# {r}\n" for r in rules + constants)]
    parts.append(table("[task]", [("name", name), ("family", name), ("summary", f"{entry} of {source}")]))
    parts.append(table("[module]", [("file", source), ("entry", entry), ("kind", kind),
                                    ("weights", own)]))
    shown, values = [], size_values(facts, lowered, places)
    for a in lowered.arguments:
        rows = [("name", a.name), ("role", a.role)]
        fill, why = fills.get(a.origin, (None, ""))
        edge = measured["edges"].get(a.origin)
        if a.role == "size":
            rows.append(("minimum", 2))  # torch.export traces other sizes apart
        else:
            rows += [("dtype", a.dtype), ("shape", [extent(n) for n in a.shape] or [1]), ("fill", fill), ("edge", edge),
                     ("origin", facts.written(a.origin))]
        parts.append(table("[[argument]]", rows))
        shown.append({"name": a.name, "role": a.role, "dtype": a.dtype, "shape": a.shape, "origin": facts.written(a.origin),
                      "fill": toml(fill) if fill else "", "why": why, "edge": edge or []})
    parts.append(table("[[shape]]", list(values.items())))
    if values:
        parts.append(table("[[shape]]", [("held_out", True), *((n, max(2, v // 2 + 1)) for n, v in values.items())]))
    parts.append(table("[reference]", [("language", "c"), ("file", f"{name}.c"), ("entry", lowered.entry)]))
    if lowered.oracle:
        parts.append(table("[oracle]", [("file", f"{name}_f64.c"), ("entry", lowered.entry)]))
        write(given, f"{name}_f64.c", lowered.oracle)
    tolerances = []
    for i, a in enumerate(x for x in lowered.arguments if x.role == "output"):
        t = measuring.tolerance_of(a.dtype, measured["beyond"][i], measured["median"][i])
        if t is None:
            continue
        parts.append(f"# Largest error against fp64 on {measured['draws']} draws: eager {measured['error'][i]:.2g}, the C reference "
                     f"{measured['c_error'][i]:.2g}; median |value| {measured['median'][i]:.2g}.\n"
                     + table("[[tolerance]]", [("argument", a.name), *t.items()]))
        tolerances.append({"argument": a.name, **t, "error": measured["error"][i], "median": measured["median"][i]})
    if work[0] and work[1]:
        parts.append(table("[work]", [("flops", work[0]), ("bytes", work[1])]))
    write(given, f"{name}.task.toml", "\n".join(parts))
    write(given, f"{name}.c", lowered.text)
    return {"arguments": shown, "sizes": values, "tolerances": tolerances, "work": {"flops": work[0], "bytes": work[1]},
            "rules": rules + constants, "files": [f"{name}.task.toml", f"{name}.c"]
            + ([f"{name}_f64.c"] if lowered.oracle else []) + ([own] if own else []), "module": source}


def own_weights(facts, lowered, finite, given):
    """Writes the module's own weights. Returns the file's name, None if there is none, and a rule that says why."""
    tensors = facts.own(lowered.arguments)
    return weights.written(tensors, finite, given) if tensors else (None, [])


def write(given, name, text):
    with open(os.path.join(given.into, name), "w", encoding="utf-8") as out:
        out.write(text)
