"""Compiles the kernels of a candidate in Triton ahead of time, in the compile sandbox, without a device. Arguments: the
folder of the package `triton`, the backend, the architecture, and kernels and options, both as JSON. Writes
module.0, module.1, … and `built` with a line for each, in order. The candidate runs in this process and may have
changed anything in it, so readers must not trust the results.
"""

import importlib.util
import json
import os
import re
import sys
import traceback

FILE = "candidate.py"
WARP = {"cuda": 32, "hip": 64}
TRIED = "3.6"


def refuse(line, what):
    print(f"{FILE}:{line}:1: error: {what}")
    version = getattr(sys.modules.get("triton"), "__version__", TRIED)
    if not version.startswith(TRIED):
        print(f"Triton {version} compiles here, {TRIED} is what was tried: this may be no fault of the candidate's")
    sys.exit(1)


def own_line(error):
    """Returns the candidate's line that an exception passed through last."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.endswith(FILE)]
    return frames[-1].lineno if frames else getattr(error, "lineno", None) or 1


def load(name, path, inside=None):
    spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=inside)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load_candidate():
    try:
        return load("candidate", os.path.abspath(FILE))
    except (Exception, SystemExit) as e:  # noqa: BLE001 - whatever the module raises is the module's
        refuse(own_line(e), f"{type(e).__name__}: {e}")


def kernel_named(module, name):
    from triton.runtime.jit import JITFunction

    found = getattr(module, name, None)
    if found is None:
        refuse(1, f"the plan launches '{name}', and the module has no such function")
    if not isinstance(found, JITFunction):
        wrapped = isinstance(getattr(found, "fn", None), JITFunction)
        refuse(1, f"'{name}' is wrapped by {type(found).__name__}: the plan has [[configuration]] for that" if wrapped
               else f"'{name}' is no @triton.jit function")
    return found


def source_of(kernel, order):
    """Returns the kernel's source with the types of the plan's arguments, in order, and its constants."""
    from triton.compiler import ASTSource

    line = kernel.starting_line_number
    constants = {}
    for p in kernel.params:
        if p.name in order["constants"]:
            constants[p.name] = order["constants"][p.name]
        elif p.is_constexpr and p.has_default:
            constants[p.name] = p.default
        elif p.is_constexpr:
            refuse(line, f"'{order['name']}' wants a value for {p.name}: tl.constexpr from the plan's [[configuration]]")
    parameters = [p for p in kernel.arg_names if p not in constants]
    if len(parameters) != len(order["types"]):
        refuse(line, f"'{order['name']}' takes {len(parameters)} arguments beside its constants ({', '.join(parameters)}),"
               f" the plan passes {len(order['types'])}")
    signature = {p: "constexpr" for p in kernel.arg_names}
    signature.update(zip(parameters, order["types"], strict=True))
    places = {p: (kernel.arg_names.index(p),) for p in parameters}
    hints = {places[p]: [["tt.divisibility", d]] for p, d in zip(parameters, order["divisible"], strict=True) if d > 1}
    return ASTSource(kernel, signature, constants, hints)


def line_of(error, module, kernel):
    """Returns the line in the file. Errors count from the `def` of their function."""
    owner = next((f for f in vars(module).values() if isinstance(f, type(kernel)) and f.src == error.src), kernel)
    decorators = next((i for i, line in enumerate(owner.raw_src) if line.startswith("def ")), 0)
    return owner.starting_line_number + decorators + getattr(error.node, "lineno", 1) - 1


def build(module, order, target, options, number):
    import triton

    kernel = kernel_named(module, order["name"])
    kernel.repr = lambda _: order["symbol"]
    source = source_of(kernel, order)
    options = {**options, "num_warps": order["warps"], "num_stages": order["stages"]}
    try:
        made = triton.compile(source, target=target, options=options)
    except triton.CompilationError as e:
        while isinstance(e.__cause__, triton.CompilationError):
            e = e.__cause__
        refuse(line_of(e, module, kernel), f"'{order['name']}': {e}")
    except Exception as e:  # noqa: BLE001 - the compiler fails in many ways
        refuse(kernel.starting_line_number, f"'{order['name']}': {type(e).__name__}: {e}")
    code = made.asm["cubin" if target.backend == "cuda" else "hsaco"]
    with open(f"module.{number}", "wb") as file:
        file.write(code)
    about = made.metadata
    text = made.asm["ptx" if target.backend == "cuda" else "amdgcn"]
    # Parameters after the candidate's own, by version: global scratch, then profiling scratch.
    entry = re.search(r"\.entry\s+[\w$]+\s*\(([^)]*)\)", text)
    trailing = entry.group(1).count(".param") - len(order["types"]) if entry else 0
    if target.backend == "hip":
        with open(f"assembly.{number}", "w") as file:
            file.write(text)
    return " ".join(str(n) for n in (
        about.num_warps, about.shared, trailing, getattr(about, "global_scratch_size", 0),
        getattr(about, "profile_scratch_size", 0), getattr(about, "num_ctas", 1)))


def main():
    folder, backend, architecture, orders = sys.argv[1:5]
    options = json.loads(sys.argv[5])
    # Only this folder is writable. The same source must give the same bytes, so line information is disabled.
    os.environ.update({"TRITON_CACHE_DIR": os.path.abspath("cache"), "HOME": os.getcwd(), "TMPDIR": os.getcwd(),
                       "TRITON_DISABLE_LINE_INFO": "1", "TRITON_BACKENDS_IN_TREE": "1", "PATH": "/usr/bin:/bin"})
    if backend == "cuda":
        os.environ["TRITON_DUMP_PTXAS_LOG"] = "1"  # reports registers and spills
    load("triton", os.path.join(folder, "__init__.py"), [folder])  # loads nothing beside the package
    from triton.backends.compiler import GPUTarget

    target = GPUTarget(backend, int(architecture) if backend == "cuda" else architecture, WARP[backend])
    module = load_candidate()
    lines = [build(module, order, target, options, i) for i, order in enumerate(json.loads(orders))]
    with open("built", "w") as file:
        file.write("".join(line + "\n" for line in lines))


if __name__ == "__main__":
    main()
