"""`trace FILE`: makes a task of a PyTorch module or function. Writes the task's files and `result.json` into a folder."""

import argparse
import json
import logging
import os
import re
import sys
import time
import warnings

from kevolve_torch.refusal import Refused, first_line, line_in

DRAWS = 3


def parsed(words):
    p = argparse.ArgumentParser(prog="trace", description=__doc__)
    p.add_argument("file")
    p.add_argument("--into", required=True, help="folder for the files that it makes")
    p.add_argument("--name", required=True)
    p.add_argument("--target", default="cpu")
    p.add_argument("--entry", default="")
    p.add_argument("--input", action="append", default=[])
    p.add_argument("--dynamic", action="append", default=[])
    p.add_argument("--train", action="store_true")
    p.add_argument("--weights", default="", help="a safetensors file beside FILE: values for the module's parameters and buffers")
    p.add_argument("--shape", action="append", default=[])
    p.add_argument("--strict-fp32", action="store_true", help="no TF32: neither by the tolerance nor in the baselines")
    p.add_argument("--memory", type=float, default=4.0, help="GiB that arrays may take")
    p.add_argument("--device-memory", type=float, default=139.0, help="GiB of the GPU")
    return p.parse_args(words)


def main(words):
    given = parsed(words)
    begin = time.monotonic()
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)  # torch logs what fails and is tried in another way
    os.makedirs(given.into, exist_ok=True)
    os.environ["CUDA_VISIBLE_DEVICES"] = ""  # everything is made and measured on the processor
    try:
        document = made(given)
    except Refused as e:
        document = {"refused": e.document()}
    except MemoryError:
        document = {"refused": Refused("memory", "needs more memory than there is", 0, "make the inputs smaller").document()}
    except BaseException as e:  # noqa: BLE001 - the caller reads one document, whatever happens
        document = {"refused": unexpected(e, given.file).document()}
    document["seconds"] = round(time.monotonic() - begin, 2)
    temporary = os.path.join(given.into, "result.json.new")
    with open(temporary, "w", encoding="utf-8") as out:
        json.dump(document, out)
    os.rename(temporary, os.path.join(given.into, "result.json"))
    sys.stdout.flush()
    os._exit(0)  # threads of the user's file do not hold the process


def unexpected(error, path):
    from kevolve_torch.loading import is_out_of_memory

    if is_out_of_memory(error):
        return Refused("memory", f"needs more memory than the process may have: {first_line(error)}", line_in(error, path),
                       "make the inputs smaller, or give --memory more")
    return Refused("trace", f"cannot be made a task: {type(error).__name__}: {first_line(error)}", line_in(error, path),
                   "report it with the file")


def made(given):
    try:
        import torch
    except (ImportError, OSError, RuntimeError) as e:
        raise Refused("torch", f"needs PyTorch, which {sys.executable} does not have ({first_line(e)})", 0,
                      "pip install torch, for the python3 that is first in PATH, or name one by KEVOLVE_PYTHON") from e
    from kevolve_torch import loading, weights
    from kevolve_torch.making import task_of

    torch.set_num_threads(1)
    torch.manual_seed(0)
    path = given.file
    if given.strict_fp32 and given.target == "cpu":
        raise Refused("option", "--strict-fp32 is for GPU targets: a processor computes in f32 without it", 0,
                      "leave it out, or give --target cuda or triton")
    user = loading.load_file(path)
    entry, kind = loading.entry_of(torch, user, given.entry, path)
    if given.target != "cpu":
        from kevolve_torch import gpu_task

        document = gpu_task.task_of(torch, user, entry, kind, given)
        document.update({"entry": entry, "kind": kind, "torch": torch.__version__})
        return document
    check_memory(torch, loading, user, given, kind)
    module = loading.made_module(torch, user, entry, kind, given.train, path)
    if given.weights:
        weights.load_into(torch, module, kind, beside(given))
    inputs = loading.made_inputs(torch, user, given.input, kind, path)
    names = loading.parameter_names(user, entry, kind)
    document = task_of(torch, module, inputs, names, entry, kind, given)
    document.update({"entry": entry, "kind": kind, "torch": torch.__version__})
    return document


def beside(given):
    """Returns the path of the file that --weights names."""
    return os.path.join(os.path.dirname(given.file), given.weights)


def check_memory(torch, loading, user, given, kind):
    """Makes the inputs without memory first, and refuses what would not fit."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    if given.input:
        return
    try:
        with FakeTensorMode():
            inputs = list(user.get_inputs())
    except BaseException:  # noqa: BLE001 - the real call tells what is wrong
        return
    total = sum(x.numel() * x.element_size() for x in inputs if isinstance(x, torch.Tensor))
    if total > given.memory * 2**30:
        raise Refused("memory", f"its inputs take {total / 2**30:.1f} GiB, and the limit is {given.memory:g} GiB",
                      user.get_inputs.__code__.co_firstlineno, "make them smaller in get_inputs(), or give --memory more")


def is_identifier(text):
    return re.fullmatch(r"[A-Za-z_]\w*", text) is not None
