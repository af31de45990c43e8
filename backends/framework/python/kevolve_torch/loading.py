"""Loads a user's file and makes what it describes: a module or a function, and its inputs."""

import ast
import importlib.util
import inspect
import linecache
import re
import sys

from kevolve_torch.refusal import Refused, first_line, line_in

DTYPES = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "i8": "int8", "u8": "uint8",
          "i32": "int32", "i64": "int64", "bool": "bool"}
MODULE_NAME = "kevolve_user_module"


def load_file(path):
    """Imports the file as a module."""
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    try:
        ast.parse(text, path)
    except SyntaxError as e:
        raise Refused("syntax", f"is no Python: {e.msg}", e.lineno or 1, "correct the file") from e
    except (ValueError, RecursionError, MemoryError) as e:
        raise Refused("syntax", f"is no Python: {first_line(e)}", 1, "correct the file") from e
    linecache.checkcache(path)
    spec = importlib.util.spec_from_file_location(MODULE_NAME, path)
    module = sys.modules[MODULE_NAME] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except ModuleNotFoundError as e:
        raise missing_package(e, path) from e
    except BaseException as e:  # noqa: BLE001 - the user's file may raise anything
        if is_out_of_memory(e):
            raise Refused("memory", f"needs more memory than the process may have: {first_line(e)}", line_in(e, path),
                          "make its arrays smaller, or give --memory more") from e
        raise Refused("raised", f"raises {type(e).__name__} when it is loaded: {first_line(e)}", line_in(e, path),
                      "correct the file; it must load without arguments, files or a network") from e
    return module


def missing_package(error, path):
    package = (error.name or "").partition(".")[0]
    return Refused("package", f"needs the package '{package}', which this Python does not have", line_in(error, path),
                   f"install it: {sys.executable} -m pip install {package}; or write the file without it")


def guarded(what, path, call, *arguments, **named):
    """Calls the user's code; whatever it raises is told with its line."""
    try:
        return call(*arguments, **named)
    except Refused:
        raise
    except ModuleNotFoundError as e:
        raise missing_package(e, path) from e
    except BaseException as e:  # noqa: BLE001 - likewise
        if is_out_of_memory(e):
            raise Refused("memory", f"{what} needs more memory than there is: {first_line(e)}", line_in(e, path),
                          "make the inputs smaller, or give --memory more") from e
        raise Refused("raised", f"{what} raises {type(e).__name__}: {first_line(e)}", line_in(e, path),
                      "correct the file") from e


def is_out_of_memory(error):
    text = str(error)
    return isinstance(error, MemoryError) or "can't allocate memory" in text or "out of memory" in text


def entry_of(torch, module, wanted, path):
    """Returns (name, kind) of the class or function that the file is about."""
    own = {n: v for n, v in vars(module).items() if getattr(v, "__module__", None) == MODULE_NAME}
    classes = [n for n, v in own.items() if inspect.isclass(v) and issubclass(v, torch.nn.Module)]
    functions = [n for n, v in own.items() if inspect.isfunction(v)
                 and n not in ("get_inputs", "get_init_inputs") and not n.startswith("_")]
    if wanted:
        if wanted in classes:
            return wanted, "module"
        if inspect.isfunction(own.get(wanted)):
            return wanted, "function"
        raise Refused("entry", f"has no module or function '{wanted}'; there are: "
                               f"{', '.join(classes + functions) or 'none'}", 0, "give --entry one of these")
    if "Model" in classes:
        return "Model", "module"
    if len(classes) == 1:
        return classes[0], "module"
    if not classes and len(functions) == 1:
        return functions[0], "function"
    names = classes or functions
    if not names:
        raise Refused("entry", "has neither a class with forward() (a torch.nn.Module) nor a function", 1,
                      "write `class Model(torch.nn.Module)` or one function")
    raise Refused("entry", f"has several: {', '.join(names)}", 0, "choose one with --entry")


def made_inputs(torch, module, given, kind, path):
    """Returns the arguments of a call: those of --input, else get_inputs()."""
    if given:
        return [parsed_input(torch, text) for text in given]
    maker = getattr(module, "get_inputs", None)
    if maker is None:
        raise Refused("inputs", "has no get_inputs(), so that shapes and dtypes are not known", 0,
                      "add `def get_inputs(): return [torch.randn(4096, 1024)]`, or give each input by "
                      "--input 4096x1024:f32")
    out = guarded("get_inputs()", path, maker)
    if not isinstance(out, (list, tuple)):
        raise Refused("inputs", f"get_inputs() returns a {type(out).__name__}, not a list", maker.__code__.co_firstlineno,
                      "return a list of the arguments of forward()")
    return list(out)


def parsed_input(torch, text):
    """Reads "4096x1024:f32" as a tensor of normal values; a bare number is that number."""
    number = re.fullmatch(r"-?\d+(\.\d*)?([eE][-+]?\d+)?", text)
    if number:
        return float(text) if re.search(r"[.eE]", text) else int(text)
    found = re.fullmatch(r"(\d+(?:x\d+)*)(?::(\w+))?", text)
    dtype = (found.group(2) or "f32") if found else ""
    if not found or dtype not in DTYPES:
        raise Refused("inputs", f"--input {text} is no array: expected EXTENTS:DTYPE, such as 4096x1024:f32, with a dtype "
                                f"of {', '.join(DTYPES)}", 0, "correct the option")
    shape = [int(n) for n in found.group(1).split("x")]
    kind = getattr(torch, DTYPES[dtype])
    if kind.is_floating_point:
        return torch.randn(shape).to(kind)
    return torch.randint(0, 2 if dtype == "bool" else 10, shape).to(kind)


def made_module(torch, module, entry, kind, train, path):
    """Returns the torch.nn.Module to trace; a function is wrapped in one."""
    if kind == "function":
        names = ", ".join(parameter_names(module, entry, kind))
        scope = {"function": getattr(module, entry)}
        exec(f"def forward(self, {names}):\n    return function({names})", scope)  # noqa: S102 - names of parameters
        return type("Function", (torch.nn.Module,), {"forward": scope["forward"]})()
    initial, named = [], {}
    if hasattr(module, "get_init_inputs"):
        initial = guarded("get_init_inputs()", path, module.get_init_inputs)
        # Some files return [positional, named].
        if isinstance(initial, dict):
            initial, named = [], initial
        elif len(initial) == 2 and isinstance(initial[0], (list, tuple)) and isinstance(initial[1], dict):
            initial, named = initial
    made = guarded(f"{entry}()", path, getattr(module, entry), *initial, **named)
    return made.train() if train else made.eval()


def parameter_names(module, entry, kind):
    """Returns the names of the positional parameters of forward() or of the function."""
    target = getattr(module, entry)
    target = target.forward if kind == "module" else target
    names = [p.name for p in inspect.signature(target).parameters.values()
             if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return names[1:] if kind == "module" else names
