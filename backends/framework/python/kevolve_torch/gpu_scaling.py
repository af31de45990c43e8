"""Measures a module with weights too large to compute with here. The file makes it with smaller numbers. The measured figure
is carried to the whole by the power that a second module, twice as large, shows."""

import copy
import math
import types

from kevolve_torch import composing, filling, gpu_measuring, thin
from kevolve_torch.gpu_files import reference_name
from kevolve_torch.loading import guarded
from kevolve_torch.refusal import Refused

FROM = 1024  # the file's numbers from here on are divided
LARGEST = 2048  # what the largest of them becomes
SEEDS = (1, 2)


def measure(torch, user, call, arguments, fake, mode, given, clock, known, own):
    """Returns what gpu_measuring.measure() does, of the whole module."""
    large = [a for a in arguments if a.role == "weight" and elements(a) > thin.LARGE]
    if not large or given.weights:
        return gpu_measuring.measure(torch, user, arguments, fake, mode, given, clock, known, own)
    numbers = {n: v for n, v in vars(user).items() if not n.startswith("_") and largest(v) >= FROM}
    divisor = 1
    while numbers and max(map(largest, numbers.values())) // divisor > LARGEST:
        divisor *= 2
    if divisor == 1 or given.input:
        raise cannot(large, "no number of the file's globals makes it smaller")
    small, double = (Scaled(torch, call, arguments, mode, given, numbers, d, large) for d in (divisor, divisor // 2))
    out = gpu_measuring.measure(torch, user, small.arguments, small.fake, mode, given, clock, None, {}, small.reference)
    for a, b in zip(arguments, small.arguments):
        a.edge, a.nonfinite = b.edge, b.nonfinite
        if a.role == "input":
            a.fill, a.why = b.fill, b.why
    out["notes"] = [f"measured on the CPU with {small.told} in the file", *out["notes"], *carried(torch, small, double, divisor, out)]
    return out


def carried(torch, small, double, divisor, measured):
    """Carries what was found from one size to the whole. Returns notes."""
    shapes = measured["shapes"]
    other = {n: tuple(c if c != w else v for c, w, v in zip(s, small.whole[n], double.whole[n])) for n, s in shapes.items()}
    fills = {a.name: a.fill for a in small.arguments if a.role == "input"}
    with torch.no_grad():
        pairs = [(small.reference(**small.drawn(torch, seed, shapes, fills)), double.reference(**double.drawn(torch, seed, other, fills)))
                 for seed in SEEDS]
    notes = []
    for i, (a, found) in enumerate(zip((a for a in small.arguments if a.role == "output"), measured["outputs"])):
        powers = {gpu_measuring.power_between(torch, first[i], second[i], 2.0) for first, second in pairs}
        power = powers.pop() if len(powers) == 1 else 0.0  # two draws that differ are chance
        if power != 0.0:
            for key in ("error", "tf32", "median", "beyond"):
                found[key] *= divisor ** power
            notes.append(f"'{a.name}' goes with these numbers to the power {power:g}: carried to the whole")
    return notes


class Scaled:
    """The module as the file makes it with its large numbers divided, and the task's arguments with that module's shapes."""

    def __init__(self, torch, call, arguments, mode, given, numbers, divisor, large):
        self.told = ", ".join(f"{n} = {divided(v, divisor)!r}" for n, v in numbers.items())
        try:
            scope = self.loaded(call.entry, given, numbers, divisor)
            torch.manual_seed(0)
            model = eval(composing.made_by(call.entry, call.initial), scope)  # noqa: S307 - the reference's own expression
            with mode:
                self.fake = list(scope["get_inputs"]())
        except Refused:
            raise
        except Exception as e:  # noqa: BLE001 - the file may need its own numbers
            raise cannot(large, f"with {self.told} the file raises {type(e).__name__}") from e
        state = {n: x.detach() for n, x in [*model.named_parameters(), *model.named_buffers()]}
        self.reference = scope[composing.ENTRY]
        self.arguments = [self.argument(torch, a, state, large) for a in arguments]
        self.read = [a for a in self.arguments if a.role in ("input", "weight")]
        self.whole = {a.name: gpu_measuring.shape_of(a, self.fake) for a in self.read}

    def loaded(self, entry, given, numbers, divisor):
        """Returns the names of the reference, whose text gives the numbers before it makes the module."""
        mark = composing.MARK.format(entry=entry)
        with open(f"{given.into}/{reference_name(given)}", encoding="utf-8") as file:
            text, _, rest = file.read().partition(mark)
        smaller = "".join(f"{n} = {divided(v, divisor)!r}\n" for n, v in numbers.items())
        scope = vars(types.ModuleType("kevolve_smaller"))
        code = compile(text + smaller + mark + rest, reference_name(given), "exec")
        guarded("the reference", given.file, exec, code, scope)
        return scope

    def argument(self, torch, a, state, large):
        out = copy.copy(a)
        if a.role == "weight":
            value = state[a.origin.split(" ", 1)[1]]
            out.shape = [str(n) for n in value.shape] or ["1"]
            out.fill, out.why = filling.measured_fill(torch, value, True)
        elif a.role == "input" and a.fill["distribution"] == "integer":
            raise cannot(large, "its inputs are whole numbers")
        return out

    def drawn(self, torch, seed, shapes, fills):
        generator = torch.Generator().manual_seed(seed)
        out = {}
        for a in self.read:
            dtype = getattr(torch, next(k for k, v in filling.DTYPE_NAMES.items() if v == a.dtype))
            out[a.name] = filling.drawn(torch, fills.get(a.name, a.fill), shapes[a.name], dtype, generator)
        return out


def elements(a):
    return math.prod(int(n) for n in a.shape if n.isdigit())


def cannot(large, why):
    gib = sum(4 * elements(a) for a in large) / 2**30
    return Refused("memory", f"has weights of {gib:.1f} GiB, too many to measure with here, and {why}", 0,
                   "take the sizes that get_init_inputs() and get_inputs() use from numbers of the file's globals")


def largest(v):
    """Returns the largest whole number of a global: of itself, or of a list or tuple of them; 0 if there is none."""
    if isinstance(v, (list, tuple)):
        return max((largest(x) for x in v), default=0)
    return v if isinstance(v, int) and not isinstance(v, bool) else 0


def divided(v, divisor):
    if isinstance(v, (list, tuple)):
        return type(v)(divided(x, divisor) for x in v)
    return v // divisor if largest(v) >= FROM else v
