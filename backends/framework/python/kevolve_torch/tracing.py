"""Exports a module with torch.export and refuses what no task can be made of, each with the line and a remedy."""

from kevolve_torch import recurrent, states
from kevolve_torch.filling import dtype_name
from kevolve_torch.loading import missing_package
from kevolve_torch.refusal import Refused, first_line, in_layer, line_in, line_named, line_of

PROBE_BYTES = 1 << 28  # arrays up to here are run as they are; larger ones with a smaller first extent
PROBE_FLOPS = 4e9


def is_tensor(torch, x):
    return isinstance(x, torch.Tensor)


def bytes_of(torch, values):
    return sum(x.numel() * x.element_size() for x in values if is_tensor(torch, x))


def smaller(torch, inputs):
    """Returns the inputs with the first extent that all arrays share cut to 2, or None if they share none."""
    arrays = [x for x in inputs if is_tensor(torch, x)]
    firsts = {x.shape[0] if x.dim() else 0 for x in arrays}
    if len(firsts) != 1 or next(iter(firsts)) <= 2:
        return None
    return [torch.empty((2, *x.shape[1:]), dtype=x.dtype) if is_tensor(torch, x) else x for x in inputs]


def dynamic_shapes(torch, given, names, inputs):
    """Reads "x:0=rows" into what torch.export wants, and the name of each symbol by its place."""
    if not given:
        return None, {}
    dims, shapes, places = {}, {}, {}
    for text in given:
        array, _, symbol = text.partition("=")
        name, _, dim = array.partition(":")
        if not symbol.isidentifier() or not dim.isdigit() or name not in names[:len(inputs)]:
            raise Refused("dynamic", f"--dynamic {text}: expected INPUT:DIMENSION=SYMBOL with an input of "
                                     f"{', '.join(names)}", 0, "such as --dynamic x:0=rows")
        value = inputs[names.index(name)]
        if not is_tensor(torch, value) or int(dim) >= value.dim():
            raise Refused("dynamic", f"--dynamic {text}: '{name}' has no dimension {dim}", 0, "count from 0")
        dims.setdefault(symbol, torch.export.Dim(symbol))
        shapes.setdefault(name, {})[int(dim)] = dims[symbol]
        places[(names.index(name), int(dim))] = symbol
    return tuple(shapes.get(n) for n in names[:len(inputs)]), places


def exported(torch, module, inputs, shapes, path):
    """Returns the exported program of a call."""
    try:
        with torch.no_grad():
            return torch.export.export(module, tuple(inputs), dynamic_shapes=shapes, strict=False)
    except ModuleNotFoundError as e:
        raise missing_package(e, path) from e
    except BaseException as e:  # noqa: BLE001 - torch raises many kinds
        text, kind = str(e), type(e).__name__
        line = line_in(e, path) or line_named(text, path)
        if "GuardOnDataDependent" in kind or "data-dependent" in text.lower() or "Could not guard" in text:
            raise Refused("control_flow", "decides by the values of a tensor, which no graph can hold", line,
                          "compute both sides and choose with torch.where()") from e
        if "onstraint" in kind + text or "specialized" in text:
            raise Refused("dynamic", f"the sizes named by --dynamic are not free: {first_line(text)}", line,
                          "leave such a size out of --dynamic") from e
        if "Generator" in text:
            raise Refused("random", "draws random numbers", line, "pass them as an input") from e
        raise Refused("trace", f"cannot be traced by torch.export: {kind}: {first_line(text)}", line,
                      "write it with torch's operators on tensors") from e


def drops_nothing(node):
    """Returns true for an operator whose only random numbers are those of a dropout with probability 0: attention,
    recurrent layers."""
    given = {}
    for i, argument in enumerate(node.target._schema.arguments):
        given[argument.name] = node.args[i] if i < len(node.args) else node.kwargs.get(argument.name, argument.default_value)
    if recurrent.name_of(node) in recurrent.LAYERS:
        return given.get("dropout") == 0.0 or given.get("train") is False
    return given.get("dropout_p") == 0.0


def check_graph(torch, program, path, train, gpu=False):
    """Refuses random operators, changed inputs and buffers, and outputs that are no tensors."""
    for node in program.graph.nodes:
        if node.op == "call_function" and torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ()):
            if ("dropout" in str(node.target) and not train) or drops_nothing(node):
                continue
            raise Refused("random", f"draws random numbers ({node.target}{in_layer(node)})", line_of(node, path),
                          "leave --train out, or pass the numbers as an input" if train else "pass them as an input")
    kinds = torch.export.graph_signature.OutputKind
    lines = [line_of(n, path) for n in program.graph.nodes if n.op == "call_function"]
    for spec in program.graph_signature.output_specs:
        if spec.kind == kinds.USER_INPUT_MUTATION:
            raise Refused("mutation", f"changes its input '{spec.target}'", mutation_line(program, path),
                          "return a new tensor: x.clone() first, or an operator without a trailing underscore")
        # A batch's statistics are no outputs. Neither is a state that each call writes before it reads it.
        if spec.kind == kinds.BUFFER_MUTATION and not (gpu and (train or states.is_overwritten(program, spec.target))):
            raise Refused("mutation", f"changes its buffer '{spec.target}'", mutation_line(program, path),
                          "leave --train out: statistics of a batch are not kept by an operator" if train else
                          "keep such a state outside of the module: an operator returns its outputs and changes nothing")
        if spec.kind == kinds.USER_OUTPUT and type(spec.arg).__name__ != "TensorArgument":
            raise Refused("output", f"returns {described(spec.arg)} where a tensor is expected", lines[-1] if lines else 0,
                          "return one tensor, or a tuple of tensors")
    values = {n.name: n.meta.get("val") for n in program.graph.nodes}
    for spec in program.graph_signature.output_specs:
        value = values.get(getattr(spec.arg, "name", ""))
        if value is not None and not dtype_name(value.dtype):
            raise Refused("output", f"returns a tensor of {value.dtype}, which tasks do not have", lines[-1] if lines else 0,
                          "return real numbers, such as torch.view_as_real()")


def described(argument):
    value = getattr(argument, "value", None)
    return "nothing (None)" if value is None else f"the number {value}"


def mutation_line(program, path):
    """Returns the line of an operator that writes in place, from the graph before functionalisation; else the last."""
    lines = [(line_of(n, path), str(n.target)) for n in program.graph.nodes if n.op == "call_function"]
    return lines[-1][0] if lines else 0


def check_result(torch, value, path, line):
    """Refuses results that are neither a tensor nor a sequence of tensors."""
    items = list(value) if isinstance(value, (tuple, list)) else [value]
    for item in items:
        if not is_tensor(torch, item):
            raise Refused("output", f"returns a {type(item).__name__} where a tensor is expected", line,
                          "return one tensor, or a tuple of tensors")
    if not items:
        raise Refused("output", "returns nothing", line, "return one tensor, or a tuple of tensors")
