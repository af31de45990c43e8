"""Faults that depend on sizes, on values or on calls before: a wrapper spoils what a right kernel gave.

Only C sources are wrapped. The wrapper knows the contract alone.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from . import inputs
from .contract import C_TYPES, Argument, Contract, tokens
from .mutants import Mutant
from .search import Hint

HELPERS = """
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#define ceildiv(a, b) (((a) + (b) - 1) / (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define min(a, b) ((a) < (b) ? (a) : (b))
"""


def count_of(c: Contract, a: Argument) -> str | None:
    """Returns the number of elements as C; None if only data tell."""
    derived = {name for name, _ in c.derived}
    if any(word in derived or word == "sum" for text in a.shape for word in tokens(text)):
        return None
    return " * ".join(f"(int64_t)({text})" for text in a.shape) or "1"


def spoiled(c: Contract) -> tuple[Argument, str] | None:
    """Returns the output that is spoiled, and its number of elements: the first whose every element counts."""
    for a in sorted(c.arguments, key=lambda a: len(a.shape) == 1 and a.shape[0] == "1"):
        if a.is_written and not a.extent and (n := count_of(c, a)):
            return a, n
    for a in c.arguments:
        if a.is_written and not a.extent:
            sums = [f"({text})" for text in a.shape]
            derived = dict(c.derived)
            if all(text.strip("()") in derived and derived[text.strip("()")].startswith("sum(") for text in sums):
                source = derived[a.shape[0]][4:-1]
                if n := count_of(c, c.argument(source)):
                    return a, f"mutant_sum_{source}({source}, {n})"
    return None


def spoil(a: Argument, n: str) -> str:
    at = f"{a.name}[mutant_n - 1]"
    if a.dtype == "bf16":
        change = f"{at} ^= 0x0180"
    elif a.floating:
        change = f"{at} = {at} * 1.5f + 1.0f"
    else:
        change = f"{at} = ({C_TYPES[a.dtype]})({at} + 1)"
    return f"const int64_t mutant_n = {n}; if (mutant_n > 0) {change};"


def wrapped(c: Contract, source: str, condition: str, state: str = "", instead: str = "") -> str:
    """Returns the source with its entry behind a wrapper: right unless the condition holds."""
    target = spoiled(c)
    assert target is not None
    a, n = target
    sums = ""
    if n.startswith("mutant_sum_"):
        of = c.argument(n[len("mutant_sum_"):n.index("(")])
        sums = (f"static int64_t mutant_sum_{of.name}(const {C_TYPES[of.dtype]} *x, int64_t n) {{ int64_t s = 0; "
                "for (int64_t i = 0; i < n; ++i) s += x[i]; return s; }\n")
    inner = f"{c.entry}_right"
    call = f"{inner}({', '.join(x.name for x in c.arguments)});"
    return (f"#define {c.entry} {inner}\n{source}\n#undef {c.entry}\n{HELPERS}{sums}{c.prototype()} {{\n{state}"
            + (f"  if (!({condition})) {{ {call} }} else {{ {instead} }}\n" if instead else
               f"  const int mutant_holds = {condition};\n  {call}\n  if (mutant_holds) {{ {spoil(a, n)} }}\n") + "}\n")


def loop(x: Argument, n: str, test: str, least: int) -> str:
    """Returns a condition over all elements, as a statement expression."""
    return (f"({{ const int64_t count_ = {n}; int all_ = count_ >= {least}; for (int64_t i_ = 0; all_ && i_ < count_; ++i_) all_ = {test}; "
            "all_; })")


def value_faults(c: Contract, source: str, rng: random.Random) -> Iterator[Mutant]:
    for a in c.arguments:
        n = count_of(c, a) if a.is_array else None
        if not a.is_read or n is None or a.fill["distribution"] == "offsets" or a.dtype in ("bf16", "f16"):
            continue
        x, allowed = a.name, inputs.patterns_of(a)
        for name, pattern, test, least in (
                ("all equal", "equal", f"{x}[i_] == {x}[0]", 3),
                ("sorted", "sorted", f"i_ == 0 || {x}[i_ - 1] <= {x}[i_]", 4),
                ("reversed", "reversed", f"i_ == 0 || {x}[i_ - 1] >= {x}[i_]", 4),
                ("alternating", "alternating", f"{x}[i_] == {x}[i_ % 2]", 5),
                ("all zero", "zeros", f"{x}[i_] == 0", 1),
                ("all maximal", "highest", f"{x}[i_] >= {highest(a)}", 1),
                ("all minimal", "lowest", f"{x}[i_] <= {lowest(a)}", 1)):
            if pattern in allowed and allows(a, pattern):
                yield made(c, source, "value", f"{name}: {x}", loop(a, n, test, least), Hint(patterns={x: pattern}))
        if "one_hot" in allowed and allows(a, "zeros"):
            hot = (f"({{ int64_t hits_ = 0; const int64_t count_ = {n}; for (int64_t i_ = 0; i_ < count_; ++i_) hits_ += {x}[i_] != 0; "
                   "hits_ == 1 && count_ > 2; })")
            yield made(c, source, "value", f"one hot: {x}", hot, Hint(patterns={x: "single"}))
        if len(a.shape) > 1 and "row_equal" in allowed and (cols := count_of(c, Argument("", "input", a.dtype, a.shape[-1:]))):
            row = (f"({{ const int64_t count_ = {n}, width_ = {cols}; int any_ = 0; "
                   f"for (int64_t r_ = 0; r_ + width_ <= count_ && width_ > 2; r_ += width_) {{ int all_ = 1; "
                   f"for (int64_t i_ = 1; i_ < width_; ++i_) all_ &= {x}[r_ + i_] == {x}[r_]; any_ |= all_; }} any_; }})")
            yield made(c, source, "value", f"a row equal: {x}", row, Hint(patterns={x: "row_equal"}))
        if a.fill["distribution"] == "sample_of":
            yield from sample_faults(c, source, a, n)
        if a.floating and allows(a, "ones"):
            yield made(c, source, "value", f"all one: {x}", loop(a, n, f"{x}[i_] == 1", 2), Hint(patterns={x: "ones"}))


def special_faults(c: Contract, source: str) -> Iterator[Mutant]:
    """Faults at the least numbers and at zeros with a sign, which a comparison of values takes for others."""
    for a in c.arguments:
        n = count_of(c, a) if a.is_array else None
        if not a.is_read or n is None or a.dtype != "f32":
            continue
        for name, pattern, test in ((f"a denormal: {a.name}", "denormal", "(bits_ & 0x7f800000u) == 0 && (bits_ & 0x7fffffffu) != 0"),
                                    (f"a negative zero: {a.name}", "signed_zeros", "bits_ == 0x80000000u")):
            if pattern in inputs.patterns_of(a):
                some = (f"({{ const int64_t count_ = {n}; int any_ = 0; for (int64_t i_ = 0; i_ < count_; ++i_) {{ uint32_t bits_; "
                        f"memcpy(&bits_, &{a.name}[i_], 4); any_ |= {test}; }} any_; }})")
                yield Mutant("special", name.split(":")[0], 0, "", name, wrapped(c, source, some), (Hint(patterns={a.name: pattern}),))


def sample_faults(c: Contract, source: str, a: Argument, n: str) -> Iterator[Mutant]:
    table = c.argument(a.fill["argument"])
    m = count_of(c, table)
    if m is None:
        return
    hits = (f"({{ int64_t hits_ = 0; for (int64_t i_ = 0; i_ < ({n}); ++i_) {{ int64_t low_ = 0, high_ = {m}; while (low_ < high_) {{ "
            f"int64_t k_ = (low_ + high_) / 2; if ({table.name}[k_] < {a.name}[i_]) low_ = k_ + 1; else high_ = k_; }} "
            f"hits_ += low_ < ({m}) && {table.name}[low_] == {a.name}[i_]; }} hits_; }})")
    hit = float(a.fill.get("hit", 1.0))
    if hit < 1.0:
        yield made(c, source, "value", f"no hit: {a.name}", f"({n}) > 3 && {hits} == 0", Hint(patterns={a.name: "no_hit"}))
        yield made(c, source, "value", f"all above: {a.name}", f"({n}) > 1 && " + loop(a, n, f"{a.name}[i_] > {table.name}[({m}) - 1]", 1),
                   Hint(patterns={a.name: "above"}))
    if hit > 0.0:
        yield made(c, source, "value", f"all hit: {a.name}", f"({n}) > 9 && {hits} == ({n})", Hint(patterns={a.name: "all_hit"}))


def highest(a: Argument) -> str:
    if not a.floating:
        return f"{int(a.fill.get('high', 1))}LL"
    return f"{inputs.real_range(a)[1] * 0.9:.9g}f" if a.fill["distribution"] == "normal" else f"{inputs.real_range(a)[1]:.9g}f"


def lowest(a: Argument) -> str:
    if not a.floating:
        return f"{int(a.fill.get('low', 0))}LL"
    low, high = inputs.real_range(a)
    return f"{low + 0.02 * (high - low):.9g}f" if a.fill["distribution"] == "normal" else f"{low:.9g}f"


def allows(a: Argument, pattern: str) -> bool:
    """Tells whether the fill rule allows the values that a fault waits for."""
    low, high = inputs.real_range(a) if a.floating else (a.fill.get("low", 0), a.fill.get("high", 1))
    if pattern == "zeros":
        return low <= 0 <= high
    if pattern == "ones":
        return low <= 1 <= high
    # A normal distribution has no extremes: a draw of them all is as good as impossible.
    return pattern not in ("highest", "lowest") or a.fill["distribution"] != "normal"


def size_faults(c: Contract, source: str) -> Iterator[Mutant]:
    for s in c.sizes:
        for name, condition, sizes in ((f"{s} % 8 == 0", f"{s} % 8 == 0", [8, 16, 24, 64]), (f"{s} < 4", f"{s} < 4", [1, 2, 3]),
                                       (f"{s} == 1", f"{s} == 1", [1]), (f"{s} == 2", f"{s} == 2", [2]),
                                       (f"{s} % 16 == 15", f"{s} % 16 == 15", [15, 31, 47, 63]), (f"{s} == 33", f"{s} == 33", [33]),
                                       (f"{s} % 2 == 1 && {s} > 64", f"{s} % 2 == 1 && {s} > 64", [65, 129, 257]),
                                       (f"{s} > 8 && {s} < 16", f"{s} > 8 && {s} < 16", [9, 12, 15])):
            yield made(c, source, "size", name, condition, Hint(sizes={s: sizes}))


def state_faults(c: Contract, source: str) -> Iterator[Mutant]:
    for calls in (1, 3, 25, 200, 3000):
        yield made(c, source, "state", f"after {calls} calls", f"++mutant_calls > {calls}", Hint(calls=calls + 2),
                   "  static int64_t mutant_calls;\n")
    yield made(c, source, "state", "every seventh call", "++mutant_calls % 7 == 0", Hint(calls=9), "  static int64_t mutant_calls;\n")
    target = spoiled(c)
    if target is None:
        return
    a, n = target
    width = f"sizeof({C_TYPES[a.dtype]})"
    first = next((x for x in c.arguments if x.is_read and (count_of(c, x) or "0") != "0"), None)
    others = [x for x in c.arguments if x.is_written and x.name != a.name]
    if first is None or others:
        return
    sizes = " && ".join([f"mutant_{s} == {s}" for s in c.sizes]) or "1"
    keep = "".join(f" mutant_{s} = {s};" for s in c.sizes)
    call = f"{c.entry}_right({', '.join(x.name for x in c.arguments)});"
    for name, extra, kept in (("result kept by size", "1", ""),
                              ("result kept by pointer", f"mutant_from == {first.name}", f" mutant_from = {first.name};"),
                              ("result kept by first value", f"memcmp(&mutant_value, {first.name}, sizeof mutant_value) == 0",
                               f" memcpy(&mutant_value, {first.name}, sizeof mutant_value);")):
        state = ("  static void *mutant_kept;\n  static int64_t " + ", ".join(["mutant_have", *(f"mutant_{s}" for s in c.sizes)])
                 + f";\n  static const void *mutant_from;\n  static {C_TYPES[first.dtype]} mutant_value;\n  (void)mutant_from, (void)mutant_value;\n"
                 + f"  const size_t mutant_bytes = (size_t)({n}) * {width};\n")
        instead = f"memcpy({a.name}, mutant_kept, mutant_bytes);"
        body = (f"  if (mutant_have && {sizes} && {extra}) {{ {instead} }} else {{ {call} free(mutant_kept); mutant_kept = malloc(mutant_bytes + 1); "
                f"memcpy(mutant_kept, {a.name}, mutant_bytes); mutant_have = 1;{keep}{kept} }}\n")
        text = wrapped(c, source, "0", state)
        # The wrapper's body is this one's.
        at = text.rindex("  const int mutant_holds")
        yield Mutant("state", name, 0, "", extra, text[:at] + body + "}\n", (Hint(calls=2),
                     Hint(calls=2, patterns={first.name: "same_first"})))


def made(c: Contract, source: str, kind: str, name: str, condition: str, hint: Hint, state: str = "") -> Mutant:
    operator = name.split(":")[0] if kind == "value" else " ".join(w for w in name.split() if w not in c.sizes)
    return Mutant(kind, operator, 0, "", name, wrapped(c, source, condition, state), (hint,))


def all_faults(c: Contract, source: str, seed: str) -> Iterator[Mutant]:
    if spoiled(c) is None:
        return
    rng = random.Random(seed)
    yield from size_faults(c, source)
    yield from value_faults(c, source, rng)
    yield from special_faults(c, source)
    yield from state_faults(c, source)
