"""Lowers an exported program: torch.export's graph of core ATen operators to one C99 function."""

from __future__ import annotations

import functools
import keyword
import re
from dataclasses import dataclass, field
from typing import Any

import torch

from . import expression
from .emit import BF16, BF16_STORE, Emitter
from .index import Polynomial, Size, as_polynomial, constant, of
from .operators import TABLE, Call, NotLowered
from .schedule import build, live, natural, pruned, schedule
from .statements import Buffer
from .values import Context, Value, of_buffer

DTYPES = {torch.float64: "f64", torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16", torch.int64: "i64", torch.int32: "i32",
          torch.int16: "i16", torch.int8: "i8", torch.uint8: "u8", torch.bool: "bool"}  # fmt: skip
C_WORDS = set("""auto break case char const continue default do double else enum extern float for goto if inline int long register restrict return
short signed sizeof static struct switch typedef union unsigned void volatile while main bool exp log sin cos tan sqrt pow abs floor ceil round erf
free malloc y0 y1 yn j0 j1 jn gamma time read write index div remainder signal acos acosh asin asinh atan atan2 atanh cbrt copysign cosh erfc exp2
expm1 fabs fdim fma fmax fmin fmod frexp hypot ilogb ldexp lgamma llrint llround log10 log1p log2 logb lrint lround modf nan nearbyint nextafter rint
scalbn sinh tanh tgamma trunc isnan isinf isfinite signbit select dup pipe link open close send bind random rand abort exit memcpy""".split())  # fmt: skip
RANDOM = ("rand", "randn", "randint", "randperm", "bernoulli", "multinomial", "normal", "native_dropout", "dropout", "uniform", "exponential",
          "rrelu_with_noise", "poisson", "geometric", "cauchy", "log_normal", "rand_like", "randn_like", "randint_like", "alpha_dropout")  # fmt: skip


@dataclass
class Argument:
    """A parameter of the C function. `origin` is as in a task file: "input 0", "parameter linear.weight"; empty for sizes."""

    name: str
    role: str
    dtype: str
    shape: list[str]
    origin: str = ""


@dataclass
class Lowered:
    text: str
    arguments: list[Argument]
    entry: str
    oracle: str | None = None  # the same in double, where the reference reads bits of floats (bf16)


@dataclass
class Refusal:
    """One operator that has no lowering, and the line of the module that calls it."""

    operator: str
    file: str
    line: int
    detail: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.file else ""
        return f"{place}{self.operator}: {self.detail}"


class Unsupported(Exception):
    """Names every operator of a program that cannot be lowered; the attributes are those of the first."""

    def __init__(self, refusals: list[Refusal]) -> None:
        super().__init__("\n".join(map(str, refusals)))
        self.refusals = refusals
        self.operator, self.file, self.line, self.detail = refusals[0].operator, refusals[0].file, refusals[0].line, refusals[0].detail


def decompositions() -> Any:
    """Returns torch's table without operators that are lowered better whole: attention, whose causal rows would be masked,
    and enlargements, whose indices would be floating-point."""
    table = dict(_default_table())
    for name in KEPT:
        packet, overload = name.split(".")
        op = getattr(getattr(torch.ops.aten, packet, None), overload, None)
        table.pop(op, None)
    return table


@functools.cache
def _default_table() -> Any:
    return torch.export.default_decompositions().materialize()  # which takes a second


KEPT = ("scaled_dot_product_attention.default", "upsample_nearest1d.vec", "upsample_nearest2d.vec", "upsample_nearest3d.vec", "linear.default",
        "rms_norm.default", "logsumexp.default")  # fmt: skip


def place_of(node: Any) -> tuple[str, int]:
    """Returns the line of the user's code that a node comes from: the last outside torch."""
    found = re.findall(r'File "([^"]+)", line (\d+)', node.meta.get("stack_trace") or "")
    own = [f for f in found if "/torch/" not in f[0]] or found
    return (own[-1][0], int(own[-1][1])) if own else ("", 0)


@dataclass
class Program:
    """The state of one lowering."""

    context: Context
    values: dict[Any, Any] = field(default_factory=dict)
    sizes: dict[str, Size] = field(default_factory=dict)
    refusals: list[Refusal] = field(default_factory=list)

    def extent(self, n: Any) -> Polynomial:
        if isinstance(n, int):
            return constant(n)
        return self.from_sympy(n.node.expr)

    def from_sympy(self, e: Any) -> Polynomial:
        if e.is_Integer:
            return constant(int(e))
        if e.is_Symbol:
            name = str(e)
            if name not in self.sizes:
                self.sizes[name] = Size(name)
            return of(self.sizes[name])
        if e.is_Add or e.is_Mul:
            out = constant(0 if e.is_Add else 1)
            for a in e.args:
                out = out + self.from_sympy(a) if e.is_Add else out * self.from_sympy(a)
            return out
        if type(e).__name__ in ("FloorDiv", "CleanDiv"):
            return self.from_sympy(e.args[0]) // self.from_sympy(e.args[1])
        if e.is_Pow and e.args[1].is_Integer and int(e.args[1]) > 0:
            out = constant(1)
            for _ in range(int(e.args[1])):
                out = out * self.from_sympy(e.args[0])
            return out
        raise NotLowered(f"the extent {e}")

    def described(self, meta: Any) -> list[tuple[str, tuple]]:
        if isinstance(meta, (list, tuple)):
            return [d for m in meta for d in self.described(m)]
        if isinstance(meta, torch.Tensor):
            if meta.dtype not in DTYPES:
                raise NotLowered(f"elements of type {meta.dtype}")
            return [(DTYPES[meta.dtype], tuple(self.extent(n) for n in meta.shape))]
        return [("i64", ())]

    def argument(self, a: Any) -> Any:
        if isinstance(a, torch.fx.Node):
            return self.values[a]
        if isinstance(a, (list, tuple)):
            return type(a)(self.argument(x) for x in a) if not isinstance(a, torch.Size) else list(a)
        return a


def promoted_type(node: Any) -> str:
    """Returns torch's common type of the tensor and number arguments."""
    metas = [a.meta["val"] if isinstance(a, torch.fx.Node) else a for a in node.args if isinstance(a, (torch.fx.Node, int, float, bool))]
    kinds = [m for m in metas if isinstance(m, (torch.Tensor, int, float, bool))]
    found: Any = None
    for m in kinds:
        found = m if found is None else torch.empty((), dtype=torch.result_type(_mild(found), _mild(m)))
    tensors = [m for m in kinds if isinstance(m, torch.Tensor)]
    if len(tensors) >= 2 and len(kinds) == len(tensors):
        return DTYPES.get(torch.result_type(_meta(tensors[0]), _meta(tensors[1])), "f32")
    if isinstance(found, torch.Tensor):
        return DTYPES.get(found.dtype, "f32")
    return "f32"


def _meta(t: torch.Tensor) -> torch.Tensor:
    return torch.empty([1] * t.dim(), dtype=t.dtype)


def _mild(m: Any) -> Any:
    return torch.empty([1] * max(m.dim(), 0), dtype=m.dtype) if isinstance(m, torch.Tensor) else m


def results_read(node: Any) -> set[int] | None:
    """Returns which results of a call anything reads."""
    if not isinstance(node.meta.get("val"), (tuple, list)):
        return None
    return {u.args[1] for u in node.users if u.target is _getitem()}


def _getitem() -> Any:
    import operator

    return operator.getitem


def identifier(text: str, taken: set[str]) -> str:
    out = re.sub(r"\W", "_", text)
    if not out or out[0].isdigit():
        out = f"x{out}"
    if out in C_WORDS or keyword.iskeyword(out):
        out += "_"
    name, n = out, 1
    while name in taken:
        name, n = f"{out}_{n}", n + 1
    taken.add(name)
    return name


def lower(exported: Any, name: str) -> Lowered:
    """Returns the C99 function of an exported program; raises Unsupported with every operator that has no lowering."""
    exported = exported.run_decompositions(decompositions())
    expression.forget()
    taken: set[str] = set()
    name = identifier(name, taken)
    program = Program(Context(taken))
    arguments, inputs = parameters(exported, program, taken)
    refuse_mutation(exported, program)
    for node in exported.graph.nodes:
        if node.op == "call_function":
            call(node, program)
    if program.refusals:
        raise Unsupported(program.refusals)
    try:
        outputs = results(exported, program, taken)
        for nest in program.context.nests:
            build(nest, natural(nest))
    except NotLowered as why:
        raise Unsupported([Refusal("a result", "", 0, str(why))]) from why
    for s in program.sizes.values():
        arguments.append(Argument(s.name, "size", "i64", []))
    texts = [written(name, program, inputs, outputs, arguments, exact) for exact in (False, True)]
    uses_bits = any(a.dtype == "bf16" for a in arguments)
    return Lowered(texts[0], [*arguments[: len(inputs)], *[_output(b, n) for n, b in enumerate(outputs)], *arguments[len(inputs) :]], name,
                   texts[1] if uses_bits else None)  # fmt: skip


def _output(b: Buffer, n: int) -> Argument:
    return Argument(b.name, "output", b.dtype, [str_of(e) for e in b.shape], f"output {n}")


def str_of(p: Polynomial) -> str:
    return Emitter(set()).place(p)


def parameters(exported: Any, program: Program, taken: set[str]) -> tuple[list[Argument], list[Buffer]]:
    """Returns the C parameters for what the graph reads, inputs first in forward()'s order."""
    kinds = torch.export.graph_signature.InputKind
    nodes = {n.name: n for n in exported.graph.nodes if n.op == "placeholder"}
    arguments: list[Argument] = []
    buffers: list[Buffer] = []
    counts = {"input": 0, "constant": 0}
    specs = sorted(exported.graph_signature.input_specs, key=lambda s: s.kind != kinds.USER_INPUT)
    for spec in specs:
        is_input = spec.kind == kinds.USER_INPUT
        number = counts["input"]
        counts["input"] += is_input
        is_constant = spec.kind in (kinds.CONSTANT_TENSOR, kinds.CUSTOM_OBJ)
        origin_number = counts["constant"]
        counts["constant"] += is_constant
        node = nodes.get(spec.arg.name)
        if node is None:
            continue
        meta = node.meta.get("val")
        if not isinstance(meta, torch.Tensor):
            if isinstance(meta, torch.SymInt):
                program.values[node] = program.extent(meta)
            continue
        if not node.users:
            continue
        try:
            ((dtype, shape),) = program.described(meta)
        except NotLowered as why:
            program.refusals.append(Refusal(f"argument {spec.arg.name}", "", 0, str(why)))
            continue
        wanted = spec.arg.name if is_input else spec.target or spec.arg.name
        buffer = Buffer(identifier(str(wanted).replace(".", "_"), taken), dtype, shape, "input")
        origin = f"input {number}" if is_input else f"constant {origin_number}" if is_constant else (
            f"parameter {spec.target}" if spec.kind == kinds.PARAMETER else f"buffer {spec.target}")
        program.values[node] = strided(of_buffer(buffer), meta)
        buffers.append(buffer)
        arguments.append(Argument(buffer.name, "input" if is_input else "weight", dtype, [str_of(n) for n in shape], origin))
    return arguments, buffers


def strided(x: Value, meta: Any) -> Value:
    """Returns a parameter as a tensor: arrays are passed contiguous whatever strides they had."""
    del meta
    return x


def refuse_mutation(exported: Any, program: Program) -> None:
    kinds = torch.export.graph_signature.OutputKind
    for spec in exported.graph_signature.output_specs:
        if spec.kind == kinds.BUFFER_MUTATION:
            program.refusals.append(Refusal(f"buffer {spec.target}", "", 0, "is changed by forward(): call eval() first"))
        elif spec.kind == kinds.USER_INPUT_MUTATION:
            program.refusals.append(Refusal(f"input {spec.target}", "", 0, "is changed by forward()"))


def call(node: Any, program: Program) -> None:
    """Lowers one call of the graph into `program.values`."""
    if node.target is _getitem():
        made = program.values.get(node.args[0])
        if isinstance(made, (tuple, list)) and made[node.args[1]] is not None:
            program.values[node] = made[node.args[1]]
        return
    name = str(getattr(node.target, "_name", node.target)).replace("aten::", "").replace("prims::", "prims.")
    if "." not in name.replace("prims.", ""):
        name += ".default"
    short = name.rsplit(".", 1)[0]
    file, line = place_of(node)
    needed = [a for a in torch.fx.node.map_arg((node.args, node.kwargs), lambda a: a) and node.all_input_nodes]
    if not node.users and short not in ("copy_",):
        return
    if isinstance(node.meta.get("val"), (torch.SymInt, int)) and short not in TABLE:
        val = node.meta["val"]
        program.values[node] = program.extent(val)
        return
    if short in RANDOM or any(short.startswith(r + "_") for r in ("rand", "randn", "randint")):
        program.refusals.append(Refusal(f"aten.{name}", file, line, "draws random numbers"))
        return
    if any(a not in program.values for a in needed):
        if not program.refusals:
            program.refusals.append(Refusal(f"aten.{name}", file, line, "reads a result that has no lowering"))
        return
    lowering = TABLE.get(name)
    if lowering is None:
        if short in ("_assert_scalar", "_assert_async", "sym_constrain_range_for_size", "_assert_tensor_metadata"):
            return
        program.refusals.append(Refusal(f"aten.{name}", file, line, "has no lowering"))
        return
    try:
        outputs = program.described(node.meta["val"])
        made = lowering(Call(program.context, outputs, promoted_type(node), results_read(node)),
                        *[program.argument(a) for a in node.args], **{k: program.argument(v) for k, v in node.kwargs.items()})  # fmt: skip
    except NotLowered as why:
        program.refusals.append(Refusal(f"aten.{name}", file, line, str(why)))
        return
    uses = sum(u.op != "output" for u in node.users)
    if isinstance(made, Value) and made.buffer is None and uses > 1 and made.cost > 3 and not made.constant:
        program.context.realise(made)
    program.values[node] = made


def results(exported: Any, program: Program, taken: set[str]) -> list[Buffer]:
    """Returns the output buffers; a temporary that is exactly an output becomes it."""
    output = next(n for n in exported.graph.nodes if n.op == "output")
    nodes = [n for n in output.args[0]]
    kinds = torch.export.graph_signature.OutputKind
    wanted = [n for n, s in zip(nodes, exported.graph_signature.output_specs, strict=True) if s.kind == kinds.USER_OUTPUT]
    wanted = [n for n in wanted if isinstance(n, torch.fx.Node)]
    out: list[Buffer] = []
    for number, node in enumerate(wanted):
        name = identifier("out" if len(wanted) == 1 else f"out{number}", taken)
        value = program.values.get(node)
        if not isinstance(value, Value):
            raise Unsupported([Refusal("a result", "", 0, "is no tensor that has a lowering")])
        ((dtype, shape),) = program.described(node.meta["val"])
        b = value.buffer
        if b is not None and b.kind == "temporary" and b.count == value.count and b.dtype == expression.computed(dtype):
            b.name, b.dtype, b.shape, b.kind = name, dtype, shape, "output"
            program.context.temporaries.remove(b)
        else:
            buffer = Buffer(name, dtype, shape, "output")
            store(program, buffer, value)
            b = buffer
        out.append(b)
    return out


def store(program: Program, buffer: Buffer, value: Value) -> None:
    from .expression import cast, computed
    from .index import flatten
    from .statements import Store

    program.context.nest(value.shape, lambda i, _: [Store(buffer, flatten(i, value.shape), cast(value.at(i), computed(buffer.dtype)))])


def written(name: str, program: Program, inputs: list[Buffer], outputs: list[Buffer], arguments: list[Argument], exact: bool) -> str:
    body = pruned(schedule(live(program.context.nests, outputs)))
    emitter = Emitter(program.context.taken, exact)
    sizes = [a.name for a in arguments if a.role == "size"]
    texts = [f"const {emitter.c_type(b.dtype)} *{b.name}" for b in inputs] + [f"{out_type(emitter, b, exact)} *{b.name}" for b in outputs]
    texts += [f"int64_t {s}" for s in sizes]
    lines = emitter.function(name, texts, body, program.context.temporaries)
    head = ["#include <math.h>", "#include <stdint.h>"]
    if "malloc" in emitter.helpers:
        head.append("#include <stdlib.h>")
    if emitter.helpers & {"widened", "narrowed"}:
        head.append("#include <string.h>")
    helpers = ["", *BF16.splitlines()] if "widened" in emitter.helpers else []
    helpers += ["", *BF16_STORE.splitlines()] if "narrowed" in emitter.helpers else []
    return "\n".join([*head, *helpers, "", *lines]) + "\n"


def out_type(emitter: Emitter, b: Buffer, exact: bool) -> str:
    return "double" if exact and b.dtype == "bf16" else emitter.c_type(b.dtype)


__all__ = ["as_polynomial", "lower"]
