"""Lowers an exported program: torch.export's graph of core ATen operators to one C99 function."""

from __future__ import annotations

import functools
import types
from typing import Any

import torch

from ..refusal import layer_of
from . import expression
from .emit import BF16, BF16_STORE, Emitter
from .index import Polynomial
from .operators import TABLE, Call, NotLowered
from .program import Argument, Lowered, Program, Refusal, Unsupported, identifier, place_of, promoted_type
from .schedule import build, live, natural, pruned, schedule
from .statements import Buffer, Statement
from .values import Context, Value, of_buffer

RANDOM = ("rand", "randn", "randint", "randperm", "bernoulli", "multinomial", "normal", "native_dropout", "dropout", "uniform", "exponential",
          "rrelu_with_noise", "poisson", "geometric", "cauchy", "log_normal", "rand_like", "randn_like", "randint_like", "alpha_dropout")  # fmt: skip


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


def results_read(node: Any) -> set[int] | None:
    """Returns which results of a call anything reads."""
    if not isinstance(node.meta.get("val"), (tuple, list)):
        return None
    return {u.args[1] for u in node.users if u.target is _getitem()}


def _getitem() -> Any:
    import operator

    return operator.getitem


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
    body = pruned(schedule(live(program.context.nests, outputs)))
    uses_bits = any(a.dtype == "bf16" for a in arguments) or any(b.dtype == "bf16" for b in outputs)
    texts = [written(name, program, body, inputs, outputs, arguments, exact) for exact in ((False, True) if uses_bits else (False,))]
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
    # Numbers are computed by Python's own operators.
    shown = f"operator.{node.target.__name__}" if isinstance(node.target, types.BuiltinFunctionType) else f"aten.{name}"
    file, line = place_of(node)
    layer = layer_of(node)
    needed = [a for a in torch.fx.node.map_arg((node.args, node.kwargs), lambda a: a) and node.all_input_nodes]
    if not node.users and short not in ("copy_",):
        return
    if isinstance(node.meta.get("val"), (torch.SymInt, int)) and short not in TABLE:
        val = node.meta["val"]
        program.values[node] = program.extent(val)
        return
    if short in RANDOM or any(short.startswith(r + "_") for r in ("rand", "randn", "randint")):
        program.refusals.append(Refusal(shown, file, line, "draws random numbers", layer))
        return
    if any(a not in program.values for a in needed):
        if not program.refusals:
            program.refusals.append(Refusal(shown, file, line, "reads a result that has no lowering", layer))
        return
    lowering = TABLE.get(name)
    if lowering is None:
        if short in ("_assert_scalar", "_assert_async", "sym_constrain_range_for_size", "_assert_tensor_metadata"):
            return
        program.refusals.append(Refusal(shown, file, line, "has no lowering", layer))
        return
    try:
        outputs = program.described(node.meta["val"])
        made = lowering(Call(program.context, outputs, promoted_type(node), results_read(node)),
                        *[program.argument(a) for a in node.args], **{k: program.argument(v) for k, v in node.kwargs.items()})  # fmt: skip
    except NotLowered as why:
        program.refusals.append(Refusal(shown, file, line, str(why), layer))
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


def written(name: str, program: Program, body: list[Statement], inputs: list[Buffer], outputs: list[Buffer], arguments: list[Argument], exact: bool) -> str:
    emitter = Emitter(program.context.taken, exact)
    sizes = [a.name for a in arguments if a.role == "size"]
    texts = [f"const {emitter.c_type(b.dtype)} *{b.name}" for b in inputs] + [f"{emitter.c_type(b.dtype)} *{b.name}" for b in outputs]
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
