"""Tensors as a file in the format of safetensors."""

from __future__ import annotations

import ctypes
import json
import struct
from typing import Any

_TYPES = {
    "float16": "F16",
    "bfloat16": "BF16",
    "float32": "F32",
    "float64": "F64",
    "int8": "I8",
    "uint8": "U8",
    "int16": "I16",
    "int32": "I32",
    "int64": "I64",
    "bool": "BOOL",
}


def kind_of(x: Any) -> str | None:
    """Returns the format's name of a tensor's type; None for other types, and for what is no tensor."""
    return _TYPES.get(str(getattr(x, "dtype", "")).removeprefix("torch."))


def packed(tensors: dict[str, Any]) -> bytes:
    """Returns the file's bytes: the length of a JSON header, the header, the values. All types must have a name there."""
    header: dict[str, Any] = {}
    parts: list[bytes] = []
    at = 0
    for name, x in tensors.items():
        x = x.detach().cpu().contiguous()
        size = x.numel() * x.element_size()
        header[name] = {"dtype": kind_of(x), "shape": list(x.shape), "data_offsets": [at, at + size]}
        parts.append(ctypes.string_at(x.data_ptr(), size) if size else b"")
        at += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(parts)
