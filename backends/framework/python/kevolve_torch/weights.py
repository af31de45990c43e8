"""The values that a module's parameters and buffers have: a safetensors file beside the task, and one that --weights names."""

import ctypes
import json
import os
import struct

from kevolve_torch.refusal import Refused, first_line

MOST_BYTES = 8 << 20  # of the file; what does not fit is drawn alone
TYPES = {"float16": "F16", "bfloat16": "BF16", "float32": "F32", "float64": "F64", "int8": "I8", "uint8": "U8", "int16": "I16",
         "int32": "I32", "int64": "I64", "bool": "BOOL"}
RULE = "own weights: one test set has the module's own values ({file}); all other sets draw them"
TOO_LARGE = "own weights: {size:.1f} MiB, more than the {most} MiB that travel with a task; all sets draw them"
NOT_FINITE = "own weights: with the module's own values an output is not finite; all sets draw them"


def tensor_name(origin):
    """Returns the name of a tensor in the file: "fc.weight" for "parameter fc.weight"; empty for what has no name."""
    kind, _, rest = origin.partition(" ")
    if kind == "constant":
        return rest.partition(" ")[2]
    return rest if kind in ("parameter", "buffer") else ""


def file_name(given):
    return f"{given.name}.safetensors"


def size_of(tensors):
    return sum(x.numel() * x.element_size() for x in tensors)


def packed(tensors):
    """Returns the file's bytes: the length of a JSON header, the header, the values."""
    header, at, parts = {}, 0, []
    for name, x in tensors.items():
        x = x.detach().cpu().contiguous()
        size = x.numel() * x.element_size()
        header[name] = {"dtype": TYPES[str(x.dtype).removeprefix("torch.")], "shape": list(x.shape), "data_offsets": [at, at + size]}
        parts.append(ctypes.string_at(x.data_ptr(), size) if size else b"")
        at += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(parts)


def written(tensors, finite, given):
    """Writes the file beside the task. Returns its name, None if there is none, and the rules that say so."""
    data = packed(tensors) if finite and size_of(tensors.values()) <= MOST_BYTES else b""
    if not finite:
        return None, [NOT_FINITE]
    if not data or len(data) > MOST_BYTES:
        return None, [TOO_LARGE.format(size=size_of(tensors.values()) / 2**20, most=MOST_BYTES >> 20)]
    with open(os.path.join(given.into, file_name(given)), "wb") as out:
        out.write(data)
    return file_name(given), [RULE.format(file=file_name(given))]


def unpacked(torch, data):
    """Returns the tensors of a file's bytes by name. ValueError: it is no such file."""
    if len(data) < 8:
        raise ValueError("its header is cut off")
    (length,) = struct.unpack("<Q", data[:8])
    if length > len(data) - 8:
        raise ValueError("its header is cut off")
    header = json.loads(data[8:8 + length])
    types = {short: getattr(torch, name) for name, short in TYPES.items()}
    body, out = bytearray(data[8 + length:]), {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        if entry["dtype"] not in types:
            raise ValueError(f"tensor '{name}' has elements of type {entry['dtype']}")
        begin, end = entry["data_offsets"]
        if not 0 <= begin <= end <= len(body):
            raise ValueError(f"tensor '{name}' lies outside of it")
        kind = types[entry["dtype"]]
        x = torch.frombuffer(body, dtype=torch.uint8, count=end - begin, offset=begin).clone().view(kind) if end > begin else \
            torch.empty(0, dtype=kind)
        out[name] = x.reshape(entry["shape"])
    return out


def load_into(torch, module, kind, path):
    """Gives the module the values of a file. Refuses a file that holds other tensors than the module."""
    remedy = "save it by safetensors.torch.save_file(module.state_dict(), FILE)"
    if kind != "module":
        raise Refused("weights", "is a function, which has no weights", 0, "leave --weights out")
    try:
        with open(path, "rb") as file:
            found = unpacked(torch, file.read())
    except (OSError, ValueError, KeyError, TypeError, RuntimeError) as e:
        raise Refused("weights", f"cannot have the values of --weights: that is no safetensors file ({first_line(e)})", 0, remedy) from e
    own = module.state_dict()
    for name in own:
        if name not in found:
            raise Refused("weights", f"has a tensor '{name}', which the file of --weights lacks", 0, remedy)
        if found[name].shape != own[name].shape:
            raise Refused("weights", f"has a tensor '{name}' of shape {list(own[name].shape)}, and the file of --weights one of shape "
                                     f"{list(found[name].shape)}", 0, "let get_init_inputs() return the arguments of that module")
    strange = sorted(set(found) - set(own))
    if strange:
        raise Refused("weights", f"has no tensor '{strange[0]}', which the file of --weights holds", 0, remedy)
    with torch.no_grad():
        for name, x in own.items():
            x.copy_(found[name])  # a state_dict shares its memory with the module
