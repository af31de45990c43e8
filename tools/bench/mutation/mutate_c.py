"""Faults in C and CUDA sources, at places that the compiler's own syntax tree names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .mutants import Mutant
from .syntax import K, cindex, line_of, parse

ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "/"}
COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
COMPOUND = {"+=": "-=", "-=": "+=", "*=": "/=", "/=": "*="}
SWAPPED_CALLS = {"fmaxf": "fminf", "fminf": "fmaxf", "fmax": "fmin", "fmin": "fmax", "expf": "exp2f", "logf": "log2f", "sinf": "cosf",
                 "cosf": "sinf", "floorf": "ceilf"}
# Approximations that a careless author might take for good enough.
HELPERS = r"""
#include <math.h>
#include <stdint.h>
#include <string.h>
static inline float mutant_from_bits(uint32_t u) { float x; memcpy(&x, &u, 4); return x; }
static inline uint32_t mutant_to_bits(float x) { uint32_t u; memcpy(&u, &x, 4); return u; }
static inline float mutant_bf16(float x) { return mutant_from_bits((mutant_to_bits(x) + 0x8000u) & 0xffff0000u); }
static inline float mutant_tf32(float x) { return mutant_from_bits(mutant_to_bits(x) & 0xffffe000u); }
static inline float mutant_f16(float x) { return (float)(_Float16)x; }
static inline float mutant_exp_rough(float x) {
  const float y = 12102203.0f * x + 1064866805.0f;
  return y < 0.0f ? 0.0f : y > 2139095039.0f ? INFINITY : mutant_from_bits((uint32_t)y);
}
static inline float mutant_exp_fair(float x) {
  const float t = x * 1.44269504f, n = floorf(t), f = t - n;
  return ldexpf(1.0f + f * (0.69606564f + f * (0.22449433f + f * 0.07944023f)), n < -1000 ? -1000 : n > 1000 ? 1000 : (int)n);
}
static inline float mutant_flushed(float x) { return fabsf(x) < 1.17549435e-38f ? copysignf(0.0f, x) : x; }
static inline float mutant_unsigned_zero(float x) { return x == 0.0f ? 0.0f : x; }
static inline float mutant_rsqrt(float x) { return mutant_from_bits(0x5f3759dfu - (mutant_to_bits(x) >> 1)); }
static inline float mutant_rcp(float x) { return mutant_bf16(1.0f / x); }
static inline float mutant_tanh(float x) { const float s = x * x; return x > 4.97f ? 1.0f : x < -4.97f ? -1.0f : x * (135135.0f + s * (17325.0f + s * (378.0f + s))) / (135135.0f + s * (62370.0f + s * (3150.0f + s * 28.0f))); }
static inline float mutant_erf(float x) { return mutant_tanh(1.12837917f * x * (1.0f + 0.08943f * x * x)); }
static inline float mutant_log(float x) { return ((float)mutant_to_bits(x) * 1.1920929e-7f - 126.94269504f) * 0.69314718f; }
"""
# The sum without an atomic: threads of another schedule (schedules.py) sleep in the midst of it.
PLAIN_SUM = r"""
#ifndef MUTANT_SLEEP
#define MUTANT_SLEEP (void)0
#endif
template <class T, class V> static __device__ T mutant_plain_add(T *p, V v) {
  const T old = *(volatile T *)p;
  MUTANT_SLEEP;
  *(volatile T *)p = old + v;
  return old;
}
"""
DEVICE_HELPERS = ("\n#include <cuda_fp16.h>" + HELPERS.replace("static inline", "static __device__ inline").replace(
    "(float)(_Float16)x", "__half2float(__float2half(x))") + PLAIN_SUM)
APPROXIMATE_CALLS = {"expf": ["mutant_exp_rough", "mutant_exp_fair"], "erff": ["mutant_erf"], "tanhf": ["mutant_tanh"],
                     "logf": ["mutant_log"], "__expf": ["mutant_exp_rough"]}


def with_helpers(source: str, helpers: str) -> str:
    """Puts helpers before a source, or behind the launch plan that it begins with."""
    if source.startswith("/* launch plan"):
        at = source.index("*/") + 2
        return source[:at] + helpers + source[at:]
    return helpers + "#line 1\n" + source


class Mutations:
    def __init__(self, source: str, arguments: list[str], name: str = "kernel.c", helpers: str = HELPERS) -> None:
        self.tree = parse(source, arguments, name)
        self.helpers = helpers

    def edit(self, kind: str, operator: str, start: int, end: int, new: str, helped: bool = False) -> Mutant:
        old = self.tree.source
        made = (old[:start] + new.encode() + old[end:]).decode()
        return Mutant(kind, operator, line_of(old, start), old[start:end].decode(), new,
                      with_helpers(made, self.helpers) if helped else made)

    def replace(self, kind: str, operator: str, node: Any, new: str, helped: bool = False) -> Mutant:
        return self.edit(kind, operator, node.extent.start.offset, node.extent.end.offset, new, helped)

    def operator_of(self, node: Any) -> tuple[str, int, int] | None:
        """Returns a binary operator's text and place."""
        children = list(node.get_children())
        if len(children) != 2:
            return None
        start, end = children[0].extent.end.offset, children[1].extent.start.offset
        between = self.tree.source[start:end].decode()
        found = re.search(r"[-+*/%<>=!&|^]+", re.sub(r"[()\s]", " ", between))
        return (found.group(), start + found.start(), start + found.end()) if found else None

    def all(self) -> Iterator[Mutant]:
        for node in self.tree.nodes:
            made = {K.BINARY_OPERATOR: self.binary, K.COMPOUND_ASSIGNMENT_OPERATOR: self.compound, K.FOR_STMT: self.loop,
                    K.VAR_DECL: self.variable, K.IF_STMT: self.branch, K.CALL_EXPR: self.call, K.FLOATING_LITERAL: self.literal,
                    K.INTEGER_LITERAL: self.whole, K.CONDITIONAL_OPERATOR: self.conditional, K.UNARY_OPERATOR: self.unary,
                    K.ARRAY_SUBSCRIPT_EXPR: self.subscript, K.WHILE_STMT: self.repeat}.get(node.kind)
            if made:
                yield from made(node)
        yield from self.infinities()

    # Expressions

    def binary(self, node: Any) -> Iterator[Mutant]:
        found = self.operator_of(node)
        if not found:
            return
        op, start, end = found
        left, right = list(node.get_children())
        index = self.tree.in_index(node)
        loop = next((a for a in self.tree.ancestors(node) if a.kind in (K.FOR_STMT, K.WHILE_STMT)), None)
        if op in ARITHMETIC and node.type.kind != cindex.TypeKind.POINTER:
            kind = "index" if index else "arithmetic"
            if not (index and op in "/%"):
                yield self.edit(kind, "operator", start, end, ARITHMETIC[op])
            yield self.replace(kind, "drop right", node, f"({self.tree.text(left)})")
            if op in "+*":
                yield self.replace(kind, "drop left", node, f"({self.tree.text(right)})")
            if op == "/" and node.type.spelling in ("float", "const float"):
                yield self.replace("precision", "reciprocal", node,
                                   f"(({self.tree.text(left)}) * mutant_rcp({self.tree.text(right)}))", helped=True)
            if op == "-" and node.type.spelling == "float":
                yield self.replace("precision", "cancelled in half", node,
                                   f"mutant_f16(({self.tree.text(left)}) - ({self.tree.text(right)}))", helped=True)
            if index and op == "*":
                yield from self.strides(node, right)
        elif op in COMPARISONS:
            yield self.edit("boundary", "comparison", start, end, COMPARISONS[op])
            if loop is not None and op in ("<", "<=") and right.extent.end.offset <= self.header_end(loop):
                text = self.tree.text(right)
                yield self.replace("boundary", "one too few", right, f"({text}) - 1")
                yield self.replace("boundary", "one too many", right, f"({text}) + 1")
                yield self.replace("boundary", "whole vectors", right, f"({text}) / 8 * 8")
                yield self.replace("boundary", "at most 64", right, f"(({text}) < 64 ? ({text}) : 64)")
        elif op in ("&&", "||"):
            yield self.edit("boundary", "connective", start, end, "||" if op == "&&" else "&&")
            yield self.replace("boundary", "drop condition", node, f"({self.tree.text(left)})")
            yield self.replace("boundary", "drop condition", node, f"({self.tree.text(right)})")
        elif op == "=" and left.kind == K.ARRAY_SUBSCRIPT_EXPR:
            yield from self.store(node, left, right)

    def header_end(self, loop: Any) -> int:
        return list(loop.get_children())[-1].extent.start.offset

    def strides(self, node: Any, right: Any) -> Iterator[Mutant]:
        names = self.whole_parameters(node)
        text = self.tree.text(right)
        for other in names:
            if other != text and text in names:
                yield self.replace("index", "stride", right, other)

    def whole_parameters(self, node: Any) -> list[str]:
        function = next((a for a in self.tree.ancestors(node) if a.kind == K.FUNCTION_DECL), None)
        if function is None:
            return []
        return [p.spelling for p in function.get_arguments() if p.type.get_canonical().spelling in ("long", "int", "long long")]

    def store(self, node: Any, left: Any, right: Any) -> Iterator[Mutant]:
        text, target = self.tree.text(right), self.tree.text(left)
        if list(right.walk_preorder())[-1].kind in (K.FLOATING_LITERAL, K.INTEGER_LITERAL) and len(text) < 8:
            yield self.replace("initialisation", "store dropped", node, "(void)0")
        if left.type.get_canonical().spelling in ("float", "double"):
            if left.type.get_canonical().spelling == "float":
                yield self.replace("special", "denormal stored as zero", node, f"{target} = mutant_flushed({text})", helped=True)
                yield self.replace("special", "zero stored without sign", node, f"{target} = mutant_unsigned_zero({text})", helped=True)
            yield self.replace("special", "flushed", node, f"{target} = fabsf((float)({text})) < 1e-30f ? 0.0f : ({text})", helped=True)
            yield self.replace("special", "capped", node, f"{target} = ({text}) > 1e4f ? 1e4f : ({text})", helped=True)
            yield self.replace("special", "nan to zero", node, f"{target} = ({text}) != ({text}) ? 0.0f : ({text})", helped=True)
            yield self.replace("precision", "stored in half", node, f"{target} = mutant_f16({text})", helped=True)
            yield self.replace("precision", "stored in bfloat16", node, f"{target} = mutant_bf16({text})", helped=True)

    def compound(self, node: Any) -> Iterator[Mutant]:
        found = self.operator_of(node)
        if not found:
            return
        op, start, end = found
        left, right = list(node.get_children())
        in_header = (loop := self.tree.loop_of(node)) is not None and node.extent.end.offset <= self.header_end(loop)
        if op in COMPOUND and not in_header:
            yield self.edit("arithmetic", "compound operator", start, end, COMPOUND[op])
            yield self.edit("initialisation", "overwritten", start, end, "=")
            if op == "+=" and left.type.get_canonical().spelling == "float":
                a, b = self.tree.text(left), self.tree.text(right)
                yield self.replace("precision", "half sum", node, f"{a} = mutant_f16({a} + ({b}))", helped=True)
                yield self.replace("precision", "bfloat16 sum", node, f"{a} = mutant_bf16({a} + ({b}))", helped=True)
                yield self.replace("precision", "half terms", node, f"{a} += mutant_f16({b})", helped=True)
                yield self.replace("precision", "tf32 terms", node, f"{a} += mutant_tf32({b})", helped=True)
        elif in_header and op == "+=":
            yield self.replace("index", "step", right, f"({self.tree.text(right)}) + 1")

    def unary(self, node: Any) -> Iterator[Mutant]:
        text = self.tree.text(node)
        operand = next(iter(node.get_children()))
        if text.startswith("-") and not text.startswith("--") and operand.kind not in (K.FLOATING_LITERAL, K.INTEGER_LITERAL):
            yield self.replace("arithmetic", "sign", node, f"({self.tree.text(operand)})")
            if node.type.get_canonical().spelling in ("float", "double"):
                yield self.replace("special", "negated from zero", node, f"(0.0f - ({self.tree.text(operand)}))")
        if text.startswith("!"):
            yield self.replace("boundary", "negation", node, f"({self.tree.text(operand)})")

    def conditional(self, node: Any) -> Iterator[Mutant]:
        children = list(node.get_children())
        if len(children) == 3:
            condition, yes, no = (self.tree.text(c) for c in children)
            yield self.replace("arithmetic", "arms swapped", node, f"(({condition}) ? ({no}) : ({yes}))")
            yield self.replace("boundary", "always", node, f"({yes})")
            yield self.replace("boundary", "never", node, f"({no})")

    def subscript(self, node: Any) -> Iterator[Mutant]:
        _base, index = list(node.get_children())
        text = self.tree.text(index)
        yield self.replace("index", "one beyond", index, f"({text}) + 1")
        yield self.replace("index", "one before", index, f"({text}) - 1")
        written = (above := self.tree.parents.get(node.hash)) is not None and above.kind in (
            K.BINARY_OPERATOR, K.COMPOUND_ASSIGNMENT_OPERATOR) and next(above.get_children()).hash == node.hash
        if node.type.get_canonical().spelling in ("float", "const float") and not written:
            whole = self.tree.text(node)
            if not self.addressed(node):
                yield self.replace("precision", "read as half", node, f"mutant_f16({whole})", helped=True)
                yield self.replace("precision", "read as tf32", node, f"mutant_tf32({whole})", helped=True)
                yield self.replace("special", "denormal read as zero", node, f"mutant_flushed({whole})", helped=True)
                yield self.replace("special", "zero read without sign", node, f"mutant_unsigned_zero({whole})", helped=True)

    def addressed(self, node: Any) -> bool:
        above = self.tree.parents.get(node.hash)
        return above is not None and above.kind == K.UNARY_OPERATOR

    def call(self, node: Any) -> Iterator[Mutant]:
        name = node.spelling
        arguments = [self.tree.text(a) for a in node.get_arguments()]
        end = node.extent.start.offset + len(name)
        if self.tree.text(node).endswith(".sync()"):
            yield self.replace("synchronisation", "no barrier", node, "(void)0")
        if self.tree.source[node.extent.start.offset:end].decode() != name:
            return
        if name in SWAPPED_CALLS:
            yield self.edit("arithmetic", "function", node.extent.start.offset, end, SWAPPED_CALLS[name])
        for other in APPROXIMATE_CALLS.get(name, []):
            yield self.edit("precision", "approximation", node.extent.start.offset, end, other, helped=True)
        if name == "sqrtf" and len(arguments) == 1:
            yield self.replace("arithmetic", "function", node, f"({arguments[0]})")
            yield self.replace("precision", "approximation", node, f"(({arguments[0]}) * mutant_rsqrt({arguments[0]}))", helped=True)
        if name in ("fmaxf", "fminf", "fmax", "fmin") and len(arguments) == 2:
            a, b = arguments
            sign = ">" if "max" in name else "<"
            yield self.replace("special", "nan lost", node, f"(({a}) {sign} ({b}) ? ({a}) : ({b}))")
            yield self.replace("special", "nan kept", node, f"(({b}) {sign} ({a}) ? ({b}) : ({a}))")
            yield self.replace("boundary", "drop operand", node, f"({a})")
            yield self.replace("boundary", "drop operand", node, f"({b})")
        if name in ("copysignf", "copysign") and len(arguments) == 2:
            to, sign = arguments
            yield self.replace("special", "sign compared", node, f"(({sign}) < 0 ? -fabs({to}) : fabs({to}))", helped=True)
        if name == "expf" and len(arguments) == 1:
            yield self.replace("special", "clamped", node, f"expf(fminf({arguments[0]}, 20.0f))", helped=True)
            yield self.replace("special", "clamped", node, f"expf(fmaxf({arguments[0]}, -10.0f))", helped=True)
        if name in ("__syncthreads", "__syncwarp", "__threadfence"):
            yield self.replace("synchronisation", "no barrier" if name == "__syncthreads" else "no barrier of a warp", node, "(void)0")
        if name.startswith("atomicAdd") and len(arguments) == 2:
            yield self.replace("synchronisation", "no atomic", node, f"mutant_plain_add({arguments[0]}, {arguments[1]})", helped=True)

    def literal(self, node: Any) -> Iterator[Mutant]:
        text = self.tree.text(node)
        digits = text.rstrip("fF")
        try:
            value = float(digits)
        except ValueError:
            return
        ending = text[len(digits):]
        yield self.replace("arithmetic", "constant", node, (f"{value * 1.5!r}" if value else "1.0") + ending)
        if len(digits.replace(".", "").lstrip("0")) > 4:
            yield self.replace("precision", "constant cut", node, f"{float(f'{value:.2e}')!r}{ending}")

    def whole(self, node: Any) -> Iterator[Mutant]:
        text = self.tree.text(node)
        if not text.isdigit() or int(text) > 1 << 20:
            return
        above = self.tree.parents.get(node.hash)
        kind = "index" if self.tree.in_index(node) else "boundary" if self.tree.loop_of(node) is not None else "arithmetic"
        if above is not None and above.kind == K.VAR_DECL:
            return  # variable() changes it
        yield self.replace(kind, "constant", node, str(int(text) + 1))

    # Statements

    def loop(self, node: Any) -> Iterator[Mutant]:
        children = list(node.get_children())
        first = next((n for n in children[0].walk_preorder() if n.kind == K.VAR_DECL), None) if children[0].kind == K.DECL_STMT else None
        start = list(first.get_children())[-1] if first is not None and list(first.get_children()) else None
        if start is not None:
            text = self.tree.text(start)
            yield self.replace("boundary", "starts late", start, f"({text}) + 1")
            if text != "0":
                yield self.replace("boundary", "starts early", start, f"({text}) - 1")

    def repeat(self, node: Any) -> Iterator[Mutant]:
        condition = next(iter(node.get_children()))
        yield self.replace("boundary", "once only", condition, f"0 && ({self.tree.text(condition)})")

    def branch(self, node: Any) -> Iterator[Mutant]:
        condition = next(iter(node.get_children()))
        text = self.tree.text(condition)
        yield self.replace("boundary", "always", condition, f"1 || ({text})")
        yield self.replace("boundary", "never", condition, f"0 && ({text})")

    def variable(self, node: Any) -> Iterator[Mutant]:
        above = self.tree.parents.get(node.hash)
        if above is None or above.kind != K.DECL_STMT or (p := self.tree.parents.get(above.hash)) is None or p.kind == K.FOR_STMT:
            return
        kind = node.type.get_canonical().spelling
        declared = self.tree.text(above)
        children = [c for c in node.get_children() if c.kind != K.TYPE_REF]
        if len(list(above.get_children())) != 1 or not children or "[" in declared.split("=")[0]:
            return
        value = self.tree.text(children[-1])
        simple = re.fullmatch(r"(-?[0-9.]+f?|-?INFINITY)", value) is not None
        if simple and "const" not in declared.split("=")[0]:
            yield self.edit("initialisation", "not initialised", node.location.offset + len(node.spelling),
                            children[-1].extent.end.offset, "")
            yield self.edit("initialisation", "kept between uses", above.extent.start.offset, above.extent.start.offset, "static ")
            if kind in ("float", "double"):
                yield self.replace("initialisation", "wrong start", children[-1], "1.0f" if value.startswith("0") else "0.0f")
            else:
                yield self.replace("initialisation", "wrong start", children[-1], f"({value}) + 1")
        narrower = {"float": "_Float16", "double": "float", "int": "int16_t", "long": "int32_t"}.get(kind)
        word = next((w for w in ("float", "double", "int32_t", "int64_t") if declared.replace("const ", "").strip().startswith(w)), None)
        if narrower and word:
            at = above.extent.start.offset + declared.index(word)
            narrower = {"int32_t": "int16_t", "int64_t": "int32_t"}.get(word, narrower)
            yield self.edit("precision", "narrower variable", at, at + len(word), narrower, helped=True)

    def infinities(self) -> Iterator[Mutant]:
        """INFINITY is a macro, which the tree leaves out; its name is sought in the text."""
        source = self.tree.source.decode()
        for found in re.finditer(r"-?\bINFINITY\b", source):
            for other in ("-1e4f", "0.0f", "-3.0e38f"):
                if found.group() == "-INFINITY":
                    at = len(source[:found.start()].encode())
                    yield self.edit("special" if other != "0.0f" else "initialisation", "finite start", at, at + len(found.group()), other)
