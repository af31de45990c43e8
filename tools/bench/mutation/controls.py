"""Honest variants of right kernels: another order of sums, several accumulators, wider ones, another libm, other flags."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .mutate_c import Mutations
from .syntax import K


@dataclass(frozen=True)
class Variant:
    name: str
    flags: str
    source: str


FLAGS = ["O2", "O3-unroll", "O3-contract", "O3-novec", "gcc-O3-vec512"]
FAST = ["Ofast", "Ofast-veclib"]
LIBM = {"expf": "exp", "logf": "log", "sqrtf": "sqrt", "erff": "erf", "tanhf": "tanh"}


def variants(source: str, flags: str, arguments: list[str], may_be_fast: bool) -> Iterator[Variant]:
    """Returns candidates for controls. Who passes a search for witnesses is one."""
    yield Variant("itself", flags, source)
    for name in [*FLAGS, *(FAST if may_be_fast else [])]:
        yield Variant(f"flags {name}", name, source)
    m = Mutations(source, arguments)
    every_call = source
    for short, wide in LIBM.items():
        every_call = re.sub(rf"\b{short}\(", f"(float){wide}(", every_call)
    if every_call != source:
        yield Variant("libm in double", flags, every_call)
    for node in m.tree.nodes:
        if node.kind == K.FOR_STMT:
            yield from reversed_loop(m, node, flags)
        elif node.kind == K.COMPOUND_ASSIGNMENT_OPERATOR:
            yield from split_sum(m, node, flags)
        elif node.kind == K.VAR_DECL and m.tree.text(node).startswith("float sum"):
            start = node.extent.start.offset
            yield Variant(f"double sum in line {node.location.line}", flags, m.edit("", "", start, start + 5, "double").source)


def reversed_loop(m: Mutations, node: Any, flags: str) -> Iterator[Variant]:
    start = node.extent.start.offset
    text = m.tree.source[start:m.header_end(node)].decode()
    found = re.fullmatch(r"for \(int64_t (\w+) = ([^;]+); \1 < ([^;]+); (?:\+\+\1|\1\+\+)\)\s*", text)
    if found:
        name, first, end = found.groups()
        yield Variant(f"reversed loop in line {node.location.line}", flags,
                      m.edit("", "", start, m.header_end(node), f"for (int64_t {name} = ({end}) - 1; {name} >= ({first}); --{name}) ").source)


def split_sum(m: Mutations, node: Any, flags: str) -> Iterator[Variant]:
    loop = m.tree.loop_of(node)
    found = m.operator_of(node)
    if loop is None or not found or found[0] != "+=":
        return
    left, right = list(node.get_children())
    header = m.tree.source[loop.extent.start.offset:m.header_end(loop)].decode()
    counted = re.match(r"for \(int64_t (\w+) = ", header)
    if left.kind != K.DECL_REF_EXPR or left.type.spelling != "float" or not counted or node.extent.start.offset < m.header_end(loop):
        return
    name, index = m.tree.text(left), counted.group(1)
    at, end = loop.extent.start.offset, loop.extent.end.offset
    source = m.tree.source
    end += source[end:end + 1] == b";"
    inside = (source[at:node.extent.start.offset].decode() + f"parts_of_{name}[{index} & 3] += {m.tree.text(right)}"
              + source[node.extent.end.offset:end].decode())
    text = f"{{ float parts_of_{name}[4] = {{0}}; {inside} {name} += (parts_of_{name}[0] + parts_of_{name}[1]) + (parts_of_{name}[2] + parts_of_{name}[3]); }}"
    yield Variant(f"four sums in line {node.location.line}", flags, (source[:at] + text.encode() + source[end:]).decode())


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Counts the controls among the rows of a run. Variants that a search finds wrong are none."""
    controls = [r for r in rows if r["class"] == "control"]
    asked = [r for r in controls if r["state"] != "unfit"]
    return {"runs": len(asked), "passed": sum(r["state"] == "passed" for r in asked),
            "refused": [{k: r[k] for k in ("task", "original", "operator", "judge")} for r in asked if r["state"] != "passed"],
            "unfit": len(controls) - len(asked)}
