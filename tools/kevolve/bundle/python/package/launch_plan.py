"""A launch plan, and its numbers for a call's sizes: the rules of kevolve's backends/launch_plan/plan_resolution.cpp."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .expressions import evaluate, parse

_MOST_BYTES = 2**40
_MOST_U32 = 2**32 - 1
_TYPE_BYTES = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8, "i8": 1, "u8": 1, "i32": 4, "i64": 8, "bool": 1}
_MAP_BYTES = (1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4)  # of an element, by cuTensorMapEncodeTiled()'s type
_SWIZZLES = (0, 32, 64, 128, 128, 128, 128)


class PlanError(ValueError):
    """The plan has no launch for these sizes."""


@dataclass(frozen=True)
class Scratch:
    name: str
    bytes: int
    zeroed: bool


@dataclass(frozen=True)
class TensorMap:
    """The arguments of cuTensorMapEncodeTiled(); `offset` is in bytes from the start of `buffer`."""

    name: str
    buffer: str
    offset: int
    type: int
    dims: tuple[int, ...]
    strides: tuple[int, ...]
    box: tuple[int, ...]
    element_strides: tuple[int, ...]
    interleave: int
    swizzle: int
    l2_promotion: int
    oob_fill: int


@dataclass(frozen=True)
class Parameter:
    """`kind` is buffer, argument, number, null_pointer or tensor_map; `value` an offset, or the bits of a number."""

    kind: str
    name: str
    value: int
    bytes: int


@dataclass(frozen=True)
class Launch:
    kernel: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    cluster: tuple[int, ...]
    shared: int
    cooperative: bool
    parameters: tuple[Parameter, ...]


@dataclass(frozen=True)
class Resolved:
    scratch: tuple[Scratch, ...]
    maps: tuple[TensorMap, ...]
    launches: tuple[Launch, ...] = field(default=())


class _Resolution:
    def __init__(self, plan: Mapping[str, Any], sizes: Mapping[str, int], arrays: Mapping[str, int], numbers: Mapping[str, int]):
        self.plan = plan
        self.sizes = dict(sizes)
        self.buffers = dict(arrays)
        self.numbers = numbers

    def run(self) -> Resolved:
        self.own_sizes()
        scratch = tuple(
            Scratch(s["name"], self.value(s["bytes"], f"scratch[{i}].bytes", 1, _MOST_BYTES), bool(s["zeroed"]))
            for i, s in enumerate(self.plan["scratch"])
        )
        self.buffers.update((s.name, s.bytes) for s in scratch)
        maps = tuple(self.tensor_map(m, f"tensor_map[{i}]") for i, m in enumerate(self.plan["tensor_maps"]))
        return Resolved(scratch, maps, tuple(self.launch(k, f"kernel[{i}]") for i, k in enumerate(self.plan["kernels"])))

    def own_sizes(self) -> None:
        """Adds the plan's own sizes, in the order of their dependences."""
        left = {name: parse(text) for name, text in self.plan["sizes"]}
        while left:
            found: dict[str, int] = {}
            for name, node in left.items():
                try:
                    found[name] = self.sizes[name] = evaluate(node, self.sizes)
                except (KeyError, ArithmeticError):
                    continue
            if not found:
                raise PlanError(f"sizes.{next(iter(left))}: it has no value")
            left = {name: node for name, node in left.items() if name not in found}

    def number(self, text: str, key: str) -> int:
        try:
            return evaluate(parse(text), self.sizes)
        except (KeyError, ArithmeticError, ValueError) as error:
            raise PlanError(f"{key}: '{text}': {error}") from error

    def value(self, text: str, key: str, least: int, most: int) -> int:
        out = self.number(text, key)
        if not least <= out <= most:
            raise PlanError(f"{key}: '{text}' is {out}, expected {least} to {most}")
        return out

    def each(self, texts: list[str], key: str, least: int, most: int) -> tuple[int, ...]:
        return tuple(self.value(t, f"{key}[{i}]", least, most) for i, t in enumerate(texts))

    def tensor_map(self, m: Mapping[str, Any], key: str) -> TensorMap:
        out = TensorMap(
            name=m["name"],
            buffer=m["buffer"],
            offset=self.value(m["offset"], key + ".offset", 0, _MOST_BYTES),
            type=m["type"],
            dims=self.each(m["dims"], key + ".dims", 1, 2**32),
            strides=self.each(m["strides"], key + ".strides", 16, 2**40 - 1),
            box=self.each(m["box"], key + ".box", 1, 256),
            element_strides=self.each(m["element_strides"], key + ".element_strides", 1, 8),
            interleave=m["interleave"],
            swizzle=m["swizzle"],
            l2_promotion=m["l2_promotion"],
            oob_fill=m["oob_fill"],
        )
        self.check_map(out, key)
        return out

    def check_map(self, m: TensorMap, key: str) -> None:
        element = _MAP_BYTES[m.type]
        align = 32 if m.interleave == 2 else 16
        inner = m.box[0] * element
        last = m.offset + m.dims[0] * element + sum((d - 1) * s for d, s in zip(m.dims[1:], m.strides))
        wrong = (
            m.offset % align != 0
            or any(s % align != 0 for s in m.strides)
            or (m.interleave != 0 and len(m.dims) < 3)
            or (m.interleave == 0 and inner % 16 != 0)
            or (m.interleave == 0 and m.swizzle != 0 and inner > _SWIZZLES[m.swizzle])
            or (m.interleave == 2 and m.swizzle != 1)
            or (m.oob_fill != 0 and m.type < 6)
            or last > self.buffers.get(m.buffer, 0)
        )
        if wrong:
            raise PlanError(f"{key}: no such tensor map of '{m.buffer}'")

    def launch(self, k: Mapping[str, Any], key: str) -> Launch:
        return Launch(
            kernel=k["name"],
            grid=self.each(k["grid"], key + ".grid", 1, _MOST_U32),
            block=self.each(k["block"], key + ".block", 1, _MOST_U32),
            cluster=self.each(k["cluster"], key + ".cluster", 1, _MOST_U32),
            shared=self.value(k["shared"], key + ".shared", 0, _MOST_U32),
            cooperative=bool(k["cooperative"]),
            parameters=tuple(self.parameter(p, f"{key}.arguments[{i}]") for i, p in enumerate(k["arguments"])),
        )

    def parameter(self, p: Mapping[str, Any], key: str) -> Parameter:
        kind, name, width = p["kind"], p["name"], _TYPE_BYTES[p["dtype"]]
        if kind == "buffer":
            offset = self.value(p["value"], key, 0, _MOST_BYTES)
            if offset > self.buffers.get(name, 0):
                raise PlanError(f"{key}: offset {offset} is past the end of '{name}'")
            return Parameter(kind, name, offset, 8)
        if kind == "argument":
            return Parameter(kind, name, self.numbers.get(name, 0), width)
        if kind == "number":
            is_signed = p["dtype"] in ("i8", "i32", "i64")
            bits = min(8 * width - is_signed, 63)  # an i64 expression has no more
            out = self.value(p["value"], key, -(2**bits) if is_signed else 0, 2**bits - 1)
            return Parameter(kind, name, out % 2**64, width)
        return Parameter(kind, name, 0, 128 if kind == "tensor_map" else 8)


def resolver(plan: Mapping[str, Any]) -> Callable[..., Resolved]:
    """Returns a function of sizes, bytes of the arrays, and bits of the numbers, all by name. It raises PlanError."""
    return lambda sizes, arrays, numbers: _Resolution(plan, sizes, arrays, numbers).run()
