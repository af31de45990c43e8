"""States: tensor attributes that forward() writes. One that each call writes before it reads it keeps nothing between calls."""

import re
import warnings

MOST = 16  # attributes of one module


def exported(torch, export, module):
    """Calls export() until it no longer refuses an attribute that is written in place: each becomes a buffer of the module,
    whose writes a graph holds. Returns the program and the paths of all attributes that the call writes. They have their
    values again."""
    before, buffers = attributes(torch, module), []
    while True:
        try:
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                program = export()
            break
        except Exception as e:
            path = written(str(e))
            if path not in before or path in buffers or len(buffers) == MOST:
                raise
            buffers.append(path)
            restore(module, before, buffers)
    # torch.export undoes assignments and warns of them.
    said = " ".join(str(w.message) for w in told if "assigned during export" in str(w.message))
    assigned = [path for path in before if path not in buffers and re.search(rf"self\.{re.escape(path)}(?![\w.])", said)]
    restore(module, before, buffers)
    return program, buffers + assigned


def attributes(torch, module):
    """Returns the plain attributes of the module and its parts that are tensors, by their paths."""
    return {f"{path}.{name}" if path else name: value for path, part in module.named_modules()
            for name, value in vars(part).items() if isinstance(value, torch.Tensor)}


def restore(module, values, buffers):
    """Gives attributes these values, those of `buffers` as buffers: what a trace wrote into them has none."""
    for path, value in values.items():
        owner, _, name = path.rpartition(".")
        part = module.get_submodule(owner)
        if path in buffers:
            vars(part).pop(name, None)
            part.register_buffer(name, value, persistent=False)
        else:
            vars(part)[name] = value


def written(text):
    """Returns the path of the attribute that a refusal of torch.export names; empty if it names none."""
    found = re.search(r"Constant (\S+) is mutated", text)
    return found.group(1) if found else ""


def drop_overwritten(torch, program):
    """Removes the reads of values that a whole copy replaces: what is copied stands for the copy."""
    for node in list(program.graph.nodes):
        if node.op != "call_function" or node.target is not torch.ops.aten.copy.default:
            continue
        old, new = (n.meta["val"] for n in node.args[:2])
        if old.shape == new.shape and old.dtype == new.dtype:
            node.replace_all_uses_with(node.args[1])


def is_overwritten(program, target):
    """Returns true if no operator reads what the buffer held before the call. The graph is without dead code."""
    return not any(node.users for spec in program.graph_signature.input_specs if spec.target == target
                   for node in program.graph.nodes if node.op == "placeholder" and node.name == spec.arg.name)
