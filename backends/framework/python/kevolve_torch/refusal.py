"""Refusals: what is wrong with a file, where, and what to do about it."""

import os
import re
import traceback


class Refused(Exception):
    """A mistake in the user's file, told with its line and a remedy."""

    def __init__(self, kind, what, line=0, remedy="", operators=()):
        super().__init__(what)
        self.kind, self.what, self.line, self.remedy = kind, what, line, remedy
        self.operators = list(operators)

    def document(self):
        return {"kind": self.kind, "what": self.what, "line": self.line, "remedy": self.remedy,
                "operators": self.operators}


def layer_of(node):
    """Returns the path of the module's part that a node of a graph comes from: "encoder.attention"; empty for the whole."""
    stack = (node.meta.get("nn_module_stack") or {}).values()
    paths = [str(entry[0]) for entry in stack if isinstance(entry, tuple) and entry]
    return paths[-1] if paths else ""


def in_layer(node):
    """Returns ", in the layer 'encoder.attention'"; empty where the node belongs to no part."""
    layer = layer_of(node)
    return f", in the layer '{layer}'" if layer else ""


def line_in(error, path):
    """Returns the last line of the file that the exception passed through; 0 if there is none."""
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__)
             if os.path.realpath(f.filename) == os.path.realpath(path)]
    return lines[-1] if lines else line_named(str(error), path)


def line_named(text, path):
    """Returns the last line of the file that a stack trace, given as text, names; 0 if there is none."""
    own = os.path.realpath(path)
    found = re.findall(r'File "([^"]+)", line (\d+)', text or "") + re.findall(r"(/\S+?):(\d+)", text or "")
    lines = [int(line) for file, line in found if os.path.realpath(file) == own]
    return lines[-1] if lines else 0


def line_of(node, path):
    """Returns the line of the file that a node of a graph comes from; 0 if it is not known."""
    return line_named(node.meta.get("stack_trace") or "", path) or line_mentioning(str(node.target), path)


def line_mentioning(operator, path):
    """Returns the first line that calls an operator such as aten.rand_like.default by its name: functions outside modules
    leave no stack trace in a graph."""
    parts = operator.split(".")
    name = parts[1] if len(parts) > 1 else operator
    with open(path, encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            if re.search(rf"\b{re.escape(name)}\s*\(", line):
                return number
    return 0


def first_line(text, most=300):
    lines = [line.strip() for line in str(text).splitlines() if line.strip()]
    return (lines[0] if lines else "")[:most]
