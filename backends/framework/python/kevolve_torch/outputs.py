"""`outputs FILE --task task.json`: calls a reference on tensors without memory, and compares the shapes and dtypes that it
returns with those that a task declares. Writes `result.json` into a folder. What depends on values cannot be told so."""

import argparse
import json
import logging
import os
import sys
import warnings

from kevolve_torch.refusal import first_line, line_in

DTYPES = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "i8": "int8", "u8": "uint8",
          "i32": "int32", "i64": "int64", "bool": "bool"}


class NotTraced(Exception):
    """Nothing can be said about this reference here."""


def main(words):
    p = argparse.ArgumentParser(prog="outputs", description=__doc__)
    p.add_argument("file")
    p.add_argument("--into", required=True, help="folder for result.json")
    p.add_argument("--task", required=True, help="file beside FILE: the entry, and for each shape its name and arguments")
    given = p.parse_args(words)
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    os.makedirs(given.into, exist_ok=True)
    os.environ["CUDA_VISIBLE_DEVICES"] = ""  # a GPU is not needed, and not used
    with open(os.path.join(os.path.dirname(given.file), given.task), encoding="utf-8") as file:
        task = json.load(file)
    document = document_of(given.file, task)
    temporary = os.path.join(given.into, "result.json.new")
    with open(temporary, "w", encoding="utf-8") as out:
        json.dump(document, out)
    os.rename(temporary, os.path.join(given.into, "result.json"))
    sys.stdout.flush()
    os._exit(0)  # threads of the file do not hold the process


def document_of(path, task):
    try:
        return compared(path, task)
    except NotTraced as e:
        return {"wrong": [], "traced": [], "not_traced": str(e)}
    except BaseException as e:  # noqa: BLE001 - the caller reads one document, whatever the file does
        return {"wrong": [], "traced": [], "not_traced": told(e, path)}


def told(error, path):
    line = line_in(error, path)
    return (f"line {line}: " if line else "") + f"{type(error).__name__}: {first_line(error)}"


def compared(path, task):
    try:
        import torch
    except (ImportError, OSError, RuntimeError) as e:
        raise NotTraced(f"{sys.executable} has no PyTorch ({first_line(e)}): pip install torch") from e
    from torch._subclasses.fake_tensor import FakeTensorMode

    # The weights of a module need no memory either, if the file can be loaded so.
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    try:
        with mode:
            function = entry_of(path, task["entry"])
    except NotTraced:
        raise
    except Exception:  # noqa: BLE001 - it looks at values, which only real tensors have
        function = entry_of(path, task["entry"])
    code = getattr(function, "__code__", None)
    if code is None:
        raise NotTraced(f"'{task['entry']}' is no plain function")
    parameters = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
    wrong, traced, not_traced = [], [], ""
    for shape in task["shapes"]:
        try:
            with mode, torch.no_grad():
                given = inputs_of(torch, shape["arguments"])
                result = function(**{p: given[p] for p in parameters if p in given})
        except Exception as e:  # noqa: BLE001 - a reference may need values, or what this version cannot trace
            not_traced = not_traced or f"shape '{shape['name']}': {told(e, path)}"
            continue
        traced.append(shape["name"])
        what = difference(torch, shape["arguments"], result)
        if what:
            wrong.append({"shape": shape["name"], "line": code.co_firstlineno, "what": what})
    return {"wrong": wrong, "traced": traced, "not_traced": not_traced}


def entry_of(path, entry):
    from kevolve_torch import loading
    from kevolve_torch.refusal import Refused

    try:
        module = loading.load_file(path)
    except Refused as e:
        raise RuntimeError(e.what) from e
    function = getattr(module, entry, None)
    if not callable(function):
        raise NotTraced(f"there is no function '{entry}'")
    return function


def inputs_of(torch, arguments):
    out = {}
    for a in arguments:
        if a["role"] in ("size", "scalar"):
            out[a["name"]] = a["value"]
        elif a["role"] != "output":
            out[a["name"]] = torch.empty(a["shape"], dtype=getattr(torch, DTYPES[a["dtype"]]))
    return out


def difference(torch, arguments, result):
    """Returns what does not fit, in words; empty if all fits. The same rules as those of the process that runs references."""
    wanted = [a for a in arguments if a["role"] in ("output", "inout")]
    got = list(result) if isinstance(result, (tuple, list)) else [result]
    if len(got) != len(wanted):
        return f"it returns {len(got)} values; the task has {len(wanted)} outputs: {', '.join(a['name'] for a in wanted)}"
    for a, t in zip(wanted, got):
        if not isinstance(t, torch.Tensor):
            return f"output '{a['name']}' is a {type(t).__name__}, not a tensor"
        if t.dtype != getattr(torch, DTYPES[a["dtype"]]):
            return f"output '{a['name']}' has dtype {t.dtype}, the task declares {a['dtype']}"
        shape, declared = list(t.shape), a["shape"]
        prefix = a["extent"] and len(shape) == len(declared) and shape[1:] == declared[1:] and shape[0] <= declared[0]
        if shape != declared and not prefix:
            return f"output '{a['name']}' has shape {shape}, the task declares {declared}"
    return ""
