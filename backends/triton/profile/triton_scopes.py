"""Runs a call of a candidate in Triton once, compiled just in time with Proton's instrumentation. Writes the cycles of
each kernel and of its outermost loops to scopes.json. The working folder holds candidate.py and `order`, JSON: kernels,
buffers, launches. The process is locked. The candidate runs in it and may have changed anything, so readers must not
trust the result.
"""

import ast
import importlib.util
import json
import os
import struct
import sys

WHOLE = "whole"
MODULE = "kevolve_scopes"  # the name under which the candidate sees Proton's language


def is_jit(decorator):
    name = decorator.func if isinstance(decorator, ast.Call) else decorator
    return ast.unparse(name) in ("triton.jit", "jit")


def record(word, scope):
    return ast.parse(f"{MODULE}.{word}_scope({scope!r})").body


def with_loops(body):
    """Returns the statements with a scope around each outermost loop, and the end of the whole before each return."""
    out = []
    for statement in body:
        if isinstance(statement, ast.For | ast.While):
            scope = f"{statement.lineno}-{statement.end_lineno}"
            out += [*record("enter", scope), statement, *record("exit", scope)]
        elif isinstance(statement, ast.Return):
            out += [*record("exit", WHOLE), statement]
        else:
            if isinstance(statement, ast.If):
                statement.body = with_loops(statement.body)
                statement.orelse = with_loops(statement.orelse)
            out.append(statement)
    return out


def with_scopes(text, kernels):
    """Returns the module's text with scopes in the kernels of these names."""
    tree = ast.parse(text)
    for function in tree.body:
        if isinstance(function, ast.FunctionDef) and function.name in kernels and any(map(is_jit, function.decorator_list)):
            body = with_loops(function.body)
            ended = isinstance(function.body[-1], ast.Return)
            function.body = [*record("enter", WHOLE), *body, *([] if ended else record("exit", WHOLE))]
    first = 1 if ast.get_docstring(tree) is not None else 0
    tree.body[first:first] = ast.parse(f"import triton.profiler.language as {MODULE}").body
    return ast.unparse(tree)


def number_of(parameter, kind):
    """Returns the number whose bits the launch would pass."""
    bits = parameter["bits"]
    if kind in ("fp32", "fp64"):
        return struct.unpack("<f" if kind == "fp32" else "<d", bits.to_bytes(8, "little")[: 4 if kind == "fp32" else 8])[0]
    width = 8 * parameter["bytes"]
    return bits - (1 << width) if kind.startswith("i") and bits >> (width - 1) else bits


def cycles_of(node, kernels, kernel=None, found=None):
    """Returns for each kernel of Proton's tree its cycles, and those of its scopes, by name."""
    found = {} if found is None else found
    name = node.get("frame", {}).get("name", "")
    cycles = node.get("metrics", {}).get("cycles", 0)
    if kernel is None and name in kernels:
        kernel = name
    elif kernel is not None:
        scopes = found.setdefault(kernel, {})
        scopes[name] = scopes.get(name, 0) + cycles
    for child in node.get("children", []):
        cycles_of(child, kernels, kernel, found)
    return found


def result_of(tree, kernels):
    out = []
    for name, scopes in cycles_of(tree, kernels).items():
        loops = [{"line": int(first), "last": int(last), "cycles": cycles}
                 for (first, last), cycles in ((s.split("-"), c) for s, c in scopes.items() if s.replace("-", "", 1).isdigit() and "-" in s)]
        out.append({"kernel": name, "cycles": scopes.get(WHOLE, 0), "loops": sorted(loops, key=lambda x: x["line"])})
    return {"kernels": out}


def launch_all(order):
    import torch
    import triton.profiler as proton
    import triton.profiler.language as scopes

    scopes.enable_semantic("triton")
    spec = importlib.util.spec_from_file_location("candidate", os.path.abspath("scoped.py"))
    module = sys.modules["candidate"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    elements = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32, "fp64": torch.float64, "i1": torch.bool,
                "i8": torch.int8, "u8": torch.uint8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64,
                "fp8e4nv": torch.float8_e4m3fn, "fp8e5": torch.float8_e5m2}
    buffers = {}
    for b in order["buffers"]:
        memory = torch.zeros(max(b["bytes"], 1), dtype=torch.uint8)
        if b["file"]:
            with open(b["file"], "rb") as file:
                memory[:b["bytes"]] = torch.frombuffer(bytearray(file.read()), dtype=torch.uint8)
        buffers[b["name"]] = memory.cuda()

    def argument(parameter, kind):
        if not kind.startswith("*"):
            return number_of(parameter, kind)
        memory = buffers[parameter["buffer"]][parameter["bits"]:]
        return memory[: len(memory) // elements[kind[1:]].itemsize * elements[kind[1:]].itemsize].view(elements[kind[1:]])

    proton.start("scopes", data="tree", backend="instrumentation")
    for step in order["launches"]:
        about = order["kernels"][step["kernel"]]
        kernel = getattr(module, about["name"])
        free = [p for p in kernel.arg_names if p not in about["constants"]]
        given = {p: argument(x, kind) for p, x, kind in zip(free, step["parameters"], about["types"], strict=False)}
        kernel[tuple(step["grid"])](**given, **about["constants"], num_warps=about["warps"], num_stages=about["stages"])
    torch.cuda.synchronize()
    proton.finalize()
    with open("scopes.hatchet") as file:
        return json.load(file)[0]


def main():
    with open("order") as file:
        order = json.load(file)
    kernels = {k["name"] for k in order["kernels"]}
    with open("candidate.py") as file:
        text = with_scopes(file.read(), kernels)
    with open("scoped.py", "w") as file:
        file.write(text)
    found = result_of(launch_all(order), kernels)
    with open("scopes.json", "w") as file:
        json.dump(found, file)


if __name__ == "__main__":
    main()
