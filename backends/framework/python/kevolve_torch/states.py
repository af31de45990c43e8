"""States: tensor attributes that forward() writes. One that each call writes before it reads it keeps nothing between calls."""

import re

MOST = 16  # attributes of one module
NAMED = re.compile(r"Constant (\S+) is mutated|tensor attributes? (?:self\.)?(\S+) (?:was|were) assigned")


def exported(torch, export, module):
    """Calls export() until it no longer refuses a written attribute: each becomes a buffer of the module, whose writes a graph
    holds. Returns the program and the attributes' paths."""
    kept = []
    while True:
        try:
            return export(), kept
        except Exception as e:
            path = written(torch, module, str(e))
            if not path or path in kept or len(kept) == MOST:
                raise
            owner, _, name = path.rpartition(".")
            holder = module.get_submodule(owner)
            value = holder.__dict__.pop(name)
            holder.register_buffer(name, value, persistent=False)
            kept.append(path)


def written(torch, module, text):
    """Returns the path of the plain attribute that a refusal of torch.export names; empty if there is none."""
    found = NAMED.search(text)
    path = (found.group(1) or found.group(2)) if found else ""
    owner, _, name = path.rpartition(".")
    try:
        value = module.get_submodule(owner).__dict__.get(name)
    except AttributeError:
        return ""
    return path if isinstance(value, torch.Tensor) else ""


def drop_overwritten(torch, program):
    """Removes the reads of values that a whole copy replaces: what is copied stands for the copy."""
    for node in list(program.graph.nodes):
        if node.op != "call_function" or node.target is not torch.ops.aten.copy.default:
            continue
        old, new = (n.meta["val"] for n in node.args[:2])
        if old.shape == new.shape and old.dtype == new.dtype:
            node.replace_all_uses_with(node.args[1])


def is_overwritten(program, target):
    """Returns true if no operator reads what the buffer held before the call."""
    return not any(node.users for spec in program.graph_signature.input_specs if spec.target == target
                   for node in program.graph.nodes if node.op == "placeholder" and node.name == spec.arg.name)
