"""Runs a traced graph in its own precision and in double precision, and counts its work."""

import math

from kevolve_torch import avoidable

TOLERANCE_RULE = ("tolerance: relative by the output's dtype; with absolute it admits 8 times the error of eager and of the C "
                  "reference against fp64 in every element; absolute is at least 1e-6 of the median |value|")
RELATIVE = {"f64": 1e-12, "f32": 1e-5, "f16": 2e-3, "bf16": 1.6e-2}


def double_interpreter(torch, module):
    """Returns a function that runs the graph with every floating value in double precision, states that forward() makes
    among them."""
    narrow = (torch.float32, torch.float16, torch.bfloat16)

    def wide(x):
        if isinstance(x, torch.dtype) and x in narrow:
            return torch.float64
        if isinstance(x, torch.Tensor) and x.dtype in narrow:
            return x.double()
        return x

    class Double(torch.fx.Interpreter):
        def fetch_attr(self, target):
            return wide(super().fetch_attr(target))

        def call_function(self, target, args, kwargs):
            args = torch.utils._pytree.tree_map(wide, args)
            kwargs = torch.utils._pytree.tree_map(wide, kwargs)
            return torch.utils._pytree.tree_map(wide, super().call_function(target, args, kwargs))

    def run(*arguments):
        before = torch.get_default_dtype()
        torch.set_default_dtype(torch.float64)
        try:
            with torch.no_grad():
                return Double(module).run(*(wide(a) for a in arguments))
        finally:
            torch.set_default_dtype(before)

    return run


def outputs_of(torch, value):
    """Returns the tensors of a result as a list."""
    leaves = torch.utils._pytree.tree_leaves(value)
    return [x for x in leaves if isinstance(x, torch.Tensor)]


def error_between(torch, got, exact):
    """Returns the largest difference of finite values; infinity where only one of them is finite."""
    got, exact = got.double().reshape(-1), exact.double().reshape(-1)
    same = (got == exact) | (torch.isnan(got) & torch.isnan(exact))
    difference = torch.where(same, torch.zeros_like(got), (got - exact).abs())
    difference = torch.where(torch.isfinite(difference), difference, torch.full_like(difference, math.inf))
    return float(difference.max()) if difference.numel() else 0.0


def excess(torch, got, exact, dtype):
    """Returns the largest part of 8 times the difference that the relative tolerance does not admit."""
    relative = RELATIVE.get(dtype)
    if relative is None or not exact.numel():
        return 0.0
    got, exact = got.double().reshape(-1), exact.double().reshape(-1)
    rest = 8.0 * (got - exact).abs() - relative * exact.abs()
    return max(0.0, float(torch.where(torch.isfinite(rest), rest, torch.zeros_like(rest)).max()))


def upwards(x):
    """Returns the number rounded up to one digit."""
    if x <= 0.0 or not math.isfinite(x):
        return 0.0
    unit = 10.0 ** math.floor(math.log10(x))
    return float(f"{math.ceil(x / unit - 1e-9) * unit:.3g}")


def tolerance_of(dtype, beyond, median):
    """Returns the tolerance of one output from its measured excess; None for exact types."""
    relative = RELATIVE.get(dtype)
    if relative is None:
        return None
    return {"relative": relative, "absolute": upwards(max(beyond, 1e-6 * median))}


def text_of(torch, number):
    """Returns an extent or a count as an expression of a task: numbers, symbols, + - * / % min max."""
    node = getattr(number, "node", None)
    return expression(node.expr) if node is not None else str(int(number))


def expression(e):
    import sympy

    if e.is_Integer:
        return str(int(e))
    if e.is_Symbol:
        return str(e)
    name = type(e).__name__
    parts = [expression(a) for a in e.args]
    if isinstance(e, sympy.Add):
        return "(" + " + ".join(parts) + ")"
    if isinstance(e, sympy.Mul):
        return "*".join(p if a.is_Atom or isinstance(a, sympy.Add) else f"({p})" for p, a in zip(parts, e.args))
    if isinstance(e, sympy.Pow) and e.exp.is_Integer and int(e.exp) > 0:
        return "*".join([f"({parts[0]})"] * int(e.exp))
    if name in ("FloorDiv", "CleanDiv", "IntTrueDiv"):
        return f"(({parts[0]}) / ({parts[1]}))"
    if name in ("Mod", "PythonMod"):
        return f"(({parts[0]}) % ({parts[1]}))"
    if name in ("Max", "Min"):
        out = parts[0]
        for p in parts[1:]:
            out = f"{name.lower()}({out}, {p})"
        return out
    raise ValueError(f"no expression of a task: {e}")


def work_of(torch, program, arrays):
    """Returns (flops, bytes) as expressions. Products count by torch's flop counter, but for those that are only summed. Other
    results count one operation for each element. Each array is read or written once, except for tables that are gathered from."""
    from torch.utils.flop_counter import flop_registry

    flops, gathered = 0, set()
    for node in program.graph.nodes:
        if node.op != "call_function":
            continue
        value = node.meta.get("val")
        packet = getattr(node.target, "overloadpacket", None)
        if any(word in str(node.target) for word in ("embedding", "gather", "index")) and node.all_input_nodes:
            gathered.add(node.all_input_nodes[0].name)
        if packet in flop_registry and avoidable.is_summed(node):
            continue
        if packet in flop_registry:
            meta = lambda x: x.meta["val"] if isinstance(x, torch.fx.Node) else x  # noqa: E731
            args = torch.utils._pytree.tree_map(meta, node.args)
            kwargs = torch.utils._pytree.tree_map(meta, node.kwargs)
            flops = flops + flop_registry[packet](*args, **kwargs, out_val=value)
        elif torch.Tag.pointwise in getattr(node.target, "tags", ()) and isinstance(value, torch.Tensor):
            flops = flops + value.numel()
        elif torch.Tag.reduction in getattr(node.target, "tags", ()) and node.all_input_nodes:
            source = node.all_input_nodes[0].meta.get("val")
            if isinstance(source, torch.Tensor):
                flops = flops + source.numel()
    total = 0
    for name, value in arrays:
        if name not in gathered:
            total = total + value.numel() * value.element_size()
    try:
        return text_of(torch, flops), text_of(torch, total)
    except ValueError:
        return "", ""
