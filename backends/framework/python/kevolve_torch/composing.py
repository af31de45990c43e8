"""Composes references for GPU tasks: the user's file, and after it a function that calls its module with the task's arrays."""

import pkgutil

ENTRY = "reference_of_task"
MARK = "# ---- Written by kevolve new: calls {entry} with the arrays of the task, in their own precision or in double. ----"


def footer_text():
    return pkgutil.get_data("kevolve_torch", "reference_footer.py").decode()


def made_by(entry, initial):
    """Returns the expression that makes the module; `initial`: "list", "dict", "both" or "none" for get_init_inputs()."""
    arguments = {"none": "", "list": "*get_init_inputs()", "dict": "**get_init_inputs()",
                 "both": "*get_init_inputs()[0], **get_init_inputs()[1]"}[initial]
    return f"{entry}({arguments})"


class Call:
    """One call of the module: its positional arguments, and the weights by their names in the module. A positional
    argument is the name of one of the task's, or a text of Python."""

    def __init__(self, entry, kind, initial, training):
        self.entry, self.kind, self.initial, self.training = entry, kind, initial, training
        self.inputs = []   # Python expressions
        self.fixed = []    # lines that define values which no argument stands for
        self.parameters = []  # names of the function's parameters
        self.weights = {}  # names in the module -> names of arguments
        self.states = []  # paths of the tensor attributes that each call overwrites
        self.widens = True  # no argument is f64: an f64 tensor means the oracle

    def text(self):
        """Returns the function with the entry's name."""
        inputs = ", ".join(self.inputs) + ("," if len(self.inputs) == 1 else "")
        lines = list(self.fixed)
        if self.kind == "module":
            lines.append(f"_module = _made(lambda: {made_by(self.entry, self.initial)}, {self.training}, "
                         f"{sorted(self.weights)!r})")
            weights = ", ".join(f"{k!r}: {v}" for k, v in self.weights.items())
            call = f"_torch.func.functional_call(_module, {{{weights}}}, ({inputs}))"
        else:
            lines.append(f"_function = {self.entry}")
            call = f"_function({', '.join(self.inputs)})"
        for i, path in enumerate(self.states):
            owner, _, name = path.rpartition(".")
            lines += [f"_owner_{i} = _module.get_submodule({owner!r})", f"_state_{i} = _written(_owner_{i}.{name})"]
        result = f"_outputs({call})"
        parameters = ", ".join(self.parameters)
        floating = ", ".join(self.parameters) + ("," if len(self.parameters) == 1 else "")
        lines += ["", "", f"def {ENTRY}({parameters}):"]
        if self.widens:
            lines.append(f"    if any(_a.dtype == _torch.float64 for _a in ({floating})):")
            if self.states:  # set within the call, so that the oracle's mode may write into it
                lines += ["        def _call():", *("            " + line for line in self.fresh("_wide(_state_{i})")),
                          f"            return {result}", "        return _in_double(_call)"]
            else:
                lines.append(f"        return _in_double(lambda: {result})")
        lines += ["    " + line for line in self.fresh("_state_{i}")]
        lines.append(f"    return {result}")
        return "\n".join(lines) + "\n"

    def fresh(self, value):
        """Returns lines that give the call what it overwrites: nothing of one call, nor its precision, is left to the next."""
        return [f"_owner_{i}.{path.rpartition('.')[2]} = {value.format(i=i)}" for i, path in enumerate(self.states)]


def composed(user_text, call):
    """Returns the text of the reference."""
    body = user_text if user_text.endswith("\n") else user_text + "\n"
    return body + "\n\n" + MARK.format(entry=call.entry) + "\n" + footer_text() + "\n\n" + call.text()

