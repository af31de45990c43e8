"""`trace --target cuda`: a task whose reference is the user's file itself, called with the task's arrays."""

import os
import time

from kevolve_torch import composing, filling, gpu_scaling, loading, measuring, recurrent, sampling, states, thin, tracing, weights
from kevolve_torch.gpu_files import files_of, reference_name, write
from kevolve_torch.refusal import Refused

RESERVED = frozenset("""auto break case char const continue default do double else enum extern float for goto if inline int long
register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while main EOF FILE printf
fprintf puts stdin stdout exit stderr abort memcmp strcmp asm bool catch class delete explicit export false friend mutable namespace
new operator private protected public template this throw true try typename using virtual and or not xor half
False None True as assert async await def del elif except finally from global import in is lambda nonlocal pass raise with yield
torch""".split())
GIB = 1 << 30


class Names:
    """Gives every argument an identifier of its own."""

    def __init__(self):
        self.used = {composing.ENTRY}

    def of(self, wanted):
        out = "".join(c if c.isalnum() and c.isascii() else "_" for c in wanted).strip("_") or "x"
        if out[0].isdigit() or out.startswith(("kt_", "KT_", "kevolve_")):
            out = "x" + out
        if out in RESERVED:
            out += "_"
        base, n = out, 2
        while out in self.used:
            out, n = f"{base}{n}", n + 1
        self.used.add(out)
        return out


class Argument:
    def __init__(self, name, role, dtype, shape, origin, fill=None, why=""):
        self.name, self.role, self.dtype, self.shape, self.origin, self.fill, self.why = (
            name, role, dtype, shape, origin, fill, why)
        self.edge, self.nonfinite = [], False
        self.own = None  # the values that a weight has in the module


def task_of(torch, user, entry, kind, given):
    from torch._subclasses.fake_tensor import FakeTensorMode

    clock = time.monotonic
    path = given.file
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    names = loading.parameter_names(user, entry, kind)
    fake = sampling.fake_inputs(torch, user, given, kind, path, mode)
    check_inputs(torch, fake, names, user)
    check_device_memory(torch, sampling.bytes_of(torch, fake), "its inputs", given, user)
    torch.manual_seed(0)
    with thin.making(torch, given):
        module = loading.made_module(torch, user, entry, kind, given.train, path)
    if given.weights:
        weights.load_into(torch, module, kind, os.path.join(os.path.dirname(path), given.weights))
    program, shapes, places, kept = traced(torch, module, fake, names, given, path)
    tracing.check_graph(torch, program, path, given.train, gpu=True)
    call, arguments, notes = arguments_of(torch, program, module, user, entry, kind, given, fake, names, places)
    call.states = kept
    text = composing.composed(read(path), call)
    write(given, reference_name(given), text)
    total = sum(bytes_of_argument(torch, a, places, fake) for a in arguments if a.role != "size")
    check_device_memory(torch, total, "its arrays", given, user)
    layers = bool(recurrent.layers(program))
    core = program if layers else program.run_decompositions()
    work = measuring.work_of(torch, core, arrays_of(torch, program))
    if layers:
        work = (str(recurrent.operations(torch, program)), work[1])
    names_of_sizes = {str(program_symbol(program, i, d)): s for (i, d), s in places.items()}
    del core, module, program
    work = tuple(renamed(w, names_of_sizes) for w in work)
    own = own_of(arguments)
    measured = gpu_scaling.measure(torch, user, call, arguments, fake, mode, given, clock, float(work[0]) if layers else None, own)
    return files_of(torch, given, entry, kind, call, arguments, measured, work, notes, places, fake, own)


def own_of(arguments):
    """Returns the module's own weights by the tensors' names; empty where they are more than travel. Lets go of them then."""
    found = [a for a in arguments if a.role == "weight"]
    if any(a.own is None for a in found) or weights.size_of(a.own for a in found) > weights.MOST_BYTES:
        for a in found:
            a.own = None
        return {}
    return {weights.tensor_name(a.origin): a.own for a in found}


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def check_inputs(torch, inputs, names, user):
    line = user.get_inputs.__code__.co_firstlineno if hasattr(user, "get_inputs") else 0
    if not any(isinstance(x, torch.Tensor) for x in inputs):
        raise Refused("inputs", "has no tensor among its inputs", line, "return at least one tensor from get_inputs()")
    for i, x in enumerate(inputs):
        name = names[i] if i < len(names) else f"input {i}"
        if isinstance(x, torch.Tensor):
            if not filling.dtype_name(x.dtype):
                raise Refused("inputs", f"its input '{name}' is {x.dtype}, which tasks do not have", line, "pass real numbers")
        elif not isinstance(x, (int, float, bool, str, type(None), tuple, list)):
            raise Refused("inputs", f"its input '{name}' is a {type(x).__name__}, neither a tensor nor a constant", line,
                          "pass tensors, numbers, strings, or sequences of numbers")
        elif isinstance(x, (tuple, list)) and any(isinstance(e, torch.Tensor) for e in x):
            raise Refused("inputs", f"its input '{name}' is a sequence of tensors", line, "pass each tensor by itself")


def check_device_memory(torch, total, what, given, user):
    """A call takes its arrays in their own type, and at most three times as much for the oracle in double."""
    if 4 * total > given.device_memory * GIB:
        line = user.get_inputs.__code__.co_firstlineno if hasattr(user, "get_inputs") else 0
        raise Refused("memory", f"{what} take {total / GIB:.1f} GiB, and judged in double four times that; the device has "
                                f"{given.device_memory:g} GiB", line, "make them smaller, or name a larger device by "
                                "--device-memory")


def traced(torch, module, fake, names, given, path):
    """Returns the functional program of a call, the dimensions that became sizes, and the attributes that the call overwrites."""
    if given.dynamic:
        # Free dimensions need tensors outside of the mode that made the fake ones.
        real = [torch.empty(x.shape, dtype=x.dtype) if isinstance(x, torch.Tensor) else x for x in fake]
        shapes, places = tracing.dynamic_shapes(torch, given.dynamic, names, real)
        return tracing.exported(torch, module, real, shapes, path).run_decompositions({}), shapes, places, []

    def functional():
        program = tracing.exported(torch, module, fake, None, path)
        # A recurrent layer stays one operator: its steps are thousands of nodes.
        return program if recurrent.layers(program) else program.run_decompositions({})

    out, kept = states.exported(torch, functional, module)
    states.drop_overwritten(torch, out)
    out.graph.eliminate_dead_code()  # weights that change no output are no arguments
    for name in kept:
        if not states.is_overwritten(out, name):
            raise Refused("mutation", f"keeps a state in its attribute '{name}': each call reads what the one before wrote", 0,
                          "pass the state as an input and return it as an output")
    return out, None, {}, kept


def program_symbol(program, index, dim):
    inputs = [s.arg.name for s in program.graph_signature.input_specs if s.kind.name == "USER_INPUT"]
    node = next(n for n in program.graph.nodes if n.name == inputs[index])
    return node.meta["val"].shape[dim].node.expr


def renamed(text, names):
    import re

    for old, new in names.items():
        text = re.sub(rf"\b{old}\b", new, text)
    return text


def arrays_of(torch, program):
    nodes = [n for n in program.graph.nodes if n.op == "placeholder" and n.users]
    result = next(n for n in program.graph.nodes if n.op == "output")
    out = [(n.name, n.meta["val"]) for n in nodes]
    out += [(n.name + " out", n.meta["val"]) for n in result.all_input_nodes]
    return [(n, v) for n, v in out if isinstance(v, torch.Tensor)]


def outputs_of(torch, program):
    """Returns the values' descriptions of the user's outputs, in order."""
    values = {n.name: n.meta.get("val") for n in program.graph.nodes}
    kinds = torch.export.graph_signature.OutputKind
    return [values[s.arg.name] for s in program.graph_signature.output_specs if s.kind == kinds.USER_OUTPUT]


def bytes_of_argument(torch, a, places, fake):
    sizes = {symbol: fake[i].shape[d] for (i, d), symbol in places.items()}
    count = 1
    for s in a.shape:
        count *= int(s) if s.isdigit() else int(eval(s.replace("/", "//"), {"min": min, "max": max}, dict(sizes)))  # noqa: S307
    return count * {"f16": 2, "bf16": 2, "f32": 4, "f64": 8, "i32": 4, "i64": 8}.get(a.dtype, 1)


def weights_by_two_seeds(torch, user, entry, kind, given, module):
    """Returns {name: (value, differs)}: the module's state, and whether another seed draws other values."""
    first = {n: x.detach() for n, x in [*module.named_parameters(), *module.named_buffers()]}
    if not first:
        return {}
    known = {n: thin.sample(x).reshape(-1)[:4096].clone() for n, x in first.items()}
    torch.manual_seed(1)
    with thin.making(torch, given):
        other = loading.made_module(torch, user, entry, kind, given.train, given.file)
    second = {n: x.detach() for n, x in [*other.named_parameters(), *other.named_buffers()]}
    return {n: (x, n in second and not torch.equal(known[n], thin.sample(second[n]).reshape(-1)[:4096])) for n, x in first.items()}


def arguments_of(torch, program, module, user, entry, kind, given, fake, names, places):
    """Returns how the reference is called, the task's arguments and notes for a person."""
    initial = "none"
    if kind == "module" and hasattr(user, "get_init_inputs"):
        value = user.get_init_inputs()
        both = isinstance(value, (list, tuple)) and len(value) == 2 and isinstance(value[0], (list, tuple)) \
            and isinstance(value[1], dict)
        initial = "dict" if isinstance(value, dict) else "both" if both else "list"
    call = composing.Call(entry, kind, initial, given.train)
    own, arguments, notes = Names(), [], []
    nodes = {n.name: n for n in program.graph.nodes if n.op == "placeholder"}
    kinds = torch.export.graph_signature.InputKind
    specs = program.graph_signature.input_specs
    highest = filling.index_fills(program)
    symbols = {str(program_symbol(program, i, d)): s for (i, d), s in places.items()}
    user_inputs = [s for s in specs if s.kind == kinds.USER_INPUT]
    samples = sampling.sampled_inputs(torch, user, given, kind, given.file, fake)
    for i, x in enumerate(fake):
        name = names[i] if i < len(names) else f"input_{i}"
        if not isinstance(x, torch.Tensor):
            call.inputs.append(repr(x))
            notes.append(f"input {i}: {x!r} is a constant of the reference")
            continue
        node = nodes[user_inputs[i].arg.name]
        if not node.users:
            call.fixed.append(f"_unused_{i} = _torch.zeros({list(x.shape)!r}, dtype=_{x.dtype}, device=_DEVICE)")
            call.inputs.append(f"_unused_{i}")
            notes.append(f"input {i}: '{name}' changes no output, and is no argument")
            continue
        if samples is not None:
            fill, why = filling.measured_fill(torch, samples[i], False)
        elif x.dtype.is_floating_point:
            fill, why = {"distribution": "normal", "mean": 0.0, "std": 1.0}, "by default"
        else:
            fill, why = {"distribution": "integer", "low": 0, "high": 1 if x.dtype == torch.bool else 9}, "by default"
        if node.name in highest and fill["distribution"] == "integer":
            fill, why = {"distribution": "integer", "low": 0, "high": highest[node.name]}, "an index of a table"
        shape = [renamed(measuring.text_of(torch, n), symbols) for n in node.meta["val"].shape]
        arguments.append(Argument(own.of(name), "input", filling.dtype_name(x.dtype), shape or ["1"], f"input {i}", fill, why))
        call.inputs.append(arguments[-1].name if x.dim() else f"{arguments[-1].name}[0]")
    state = weights_by_two_seeds(torch, user, entry, kind, given, module) if kind == "module" else {}
    mutated = {s.target for s in program.graph_signature.output_specs
               if s.kind == torch.export.graph_signature.OutputKind.BUFFER_MUTATION}
    for spec in specs:
        if spec.kind not in (kinds.PARAMETER, kinds.BUFFER) or not nodes[spec.arg.name].users or spec.target in mutated:
            continue
        value, differs = state[spec.target]
        word = "parameter" if spec.kind == kinds.PARAMETER else "buffer"
        reason = kept_reason(torch, value, differs, word)
        if reason and given.weights and differs:
            raise Refused("weights", f"keeps its {word} '{spec.target}' as the constructor makes it ({reason}), and the file of --weights "
                                     "has other values", 0, "make it a parameter, or let the constructor make these values")
        if reason:
            notes.append(f"{word} {spec.target} {list(value.shape)}: {reason}; it keeps its values inside the reference, and a "
                         "candidate makes them itself")
            continue
        fill, why = filling.measured_fill(torch, thin.sample(value), True)
        shape = [str(n) for n in value.shape] or ["1"]
        a = Argument(own.of(spec.target), "weight", filling.dtype_name(value.dtype), shape, f"{word} {spec.target}", fill, why)
        a.own = value.clone() if value.numel() * value.element_size() <= weights.MOST_BYTES else None
        arguments.append(a)
        call.weights[spec.target] = a.name if value.dim() else f"{a.name}[0]"
    finish(torch, program, call, own, arguments, places, symbols, fake)
    return call, arguments, notes


def kept_reason(torch, value, differs, word):
    """Returns why values are no weights that may be drawn; empty if they are."""
    if not filling.dtype_name(value.dtype):
        return f"{value.dtype} is no type of tasks"
    flat = thin.sample(value).reshape(-1)
    constant = flat.numel() == 0 or bool((flat == flat[0]).all())
    if not value.dtype.is_floating_point:
        return "whole numbers that the module computes"
    if not bool(torch.isfinite(flat).all()):
        return "values that are not finite"
    if not differs and not constant:
        return "values that the module computes, whatever the seed"
    return ""


def finish(torch, program, call, own, arguments, places, symbols, fake):
    """Adds outputs and sizes."""
    outputs = outputs_of(torch, program)
    for i, v in enumerate(outputs):
        shape = [renamed(measuring.text_of(torch, n), symbols) for n in v.shape]
        a = Argument(own.of("out" if len(outputs) == 1 else f"out{i}"), "output", filling.dtype_name(v.dtype), shape or ["1"],
                     f"output {i}")
        arguments.append(a)
    for symbol in dict.fromkeys(places.values()):
        arguments.append(Argument(symbol, "size", "i64", [], ""))
    call.parameters = [a.name for a in arguments if a.role in ("input", "weight")]
    call.widens = all(a.dtype != "f64" for a in arguments)
